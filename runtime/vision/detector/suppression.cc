#include "runtime/vision/detector/suppression.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/vision/detector/kept_boxes.h"
#include "runtime/vision/detector/score_order.h"

namespace synap_internal {
namespace {

// Appends the boxes of `order` that no better one of it suppresses to `kept`, at most `limit`.
void Suppress(absl::Span<const DetectedBox> boxes, absl::Span<const uint32_t> order, size_t limit,
              KeptBoxes& index, std::vector<uint32_t>& kept) {
  constexpr size_t kAhead = 8;  // boxes lie in memory in another order than by score
  index.Clear();
  for (size_t i = 0; i < order.size() && limit > 0; ++i) {
    if (i + kAhead < order.size()) __builtin_prefetch(&boxes[order[i + kAhead]]);
    const uint32_t candidate = order[i];
    if (index.Suppress(candidate)) continue;
    index.Add(candidate);
    kept.push_back(candidate);
    --limit;
  }
}

// Class by class, at most `limit` of each; the kept boxes by descending score.
std::vector<uint32_t> SuppressInClasses(absl::Span<const DetectedBox> boxes,
                                        const std::vector<uint32_t>& order, size_t limit,
                                        KeptBoxes& index) {
  const std::vector<uint32_t> by_class = OrderByClass(boxes, order);
  std::vector<uint32_t> kept;
  for (size_t begin = 0, end = 0; begin < by_class.size(); begin = end) {
    const int class_index = boxes[by_class[begin]].class_index;
    while (end < by_class.size() && boxes[by_class[end]].class_index == class_index) ++end;
    Suppress(boxes, absl::MakeSpan(by_class).subspan(begin, end - begin), limit, index, kept);
  }
  std::vector<bool> is_kept(boxes.size(), false);
  for (const uint32_t candidate : kept) is_kept[candidate] = true;
  kept.clear();
  std::copy_if(order.begin(), order.end(), std::back_inserter(kept),
               [&](uint32_t candidate) { return is_kept[candidate]; });
  return kept;
}

}  // namespace

std::vector<DetectedBox> SelectBoxes(absl::Span<const DetectedBox> boxes,
                                     const SuppressionOptions& options) {
  std::vector<uint32_t> order = OrderByScore(boxes);
  const size_t limit =
      options.max_boxes > 0 ? static_cast<size_t>(options.max_boxes) : order.size();
  if (options.scope != NmsScope::kNone) {
    const bool oriented = std::any_of(boxes.begin(), boxes.end(),
                                      [](const DetectedBox& box) { return box.oriented(); });
    KeptBoxes index(boxes, options.iou_threshold, options.iou_with_min, oriented);
    std::vector<uint32_t> kept;
    if (options.scope == NmsScope::kClass) {
      const size_t of_class =
          options.max_per_class > 0 ? static_cast<size_t>(options.max_per_class) : limit;
      kept = SuppressInClasses(boxes, order, std::min(limit, of_class), index);
    } else {
      Suppress(boxes, order, limit, index, kept);
    }
    order = std::move(kept);
  }
  order.resize(std::min(order.size(), limit));
  std::vector<DetectedBox> selected;
  selected.reserve(order.size());
  for (const uint32_t candidate : order) selected.push_back(boxes[candidate]);
  return selected;
}

}  // namespace synap_internal
