#include "runtime/vision/detector/suppression.h"

#include <algorithm>
#include <utility>

namespace synap_internal {
namespace {

float Area(const DetectedBox& box) { return (box.x1 - box.x0) * (box.y1 - box.y0); }

}  // namespace

float Overlap(const DetectedBox& a, const DetectedBox& b, bool with_min) {
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0 && height > 0)) return 0;
  const float intersection = width * height;
  return intersection / (with_min ? std::min(Area(a), Area(b)) : Area(a) + Area(b) - intersection);
}

std::vector<DetectedBox> SelectBoxes(std::vector<DetectedBox> boxes,
                                     const SuppressionOptions& options) {
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const DetectedBox& a, const DetectedBox& b) { return a.score > b.score; });
  std::vector<DetectedBox> kept;
  for (DetectedBox& box : boxes) {
    if (options.max_boxes > 0 && kept.size() >= static_cast<size_t>(options.max_boxes)) break;
    const bool drop =
        options.suppress && std::any_of(kept.begin(), kept.end(), [&](const DetectedBox& better) {
          return Overlap(better, box, options.iou_with_min) > options.iou_threshold;
        });
    if (!drop) kept.push_back(std::move(box));
  }
  return kept;
}

}  // namespace synap_internal
