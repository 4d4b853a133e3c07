#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/yolo.h"
#include "runtime/vision/detector/yolo_list.h"

namespace synap_internal {
namespace {

class Yolov5ListDecoder : public DetectionDecoder {
 public:
  Yolov5ListDecoder(std::vector<ListLayout> layouts, const YoloAttributes& attributes)
      : layouts_(std::move(layouts)), attributes_(attributes) {}

  void Decode(absl::Span<const float* const> tensors, float width, float height,
              std::vector<DetectedBox>* boxes) const override {
    const float sx = width / attributes_.w_scale;
    const float sy = height / attributes_.h_scale;
    for (size_t i = 0; i < layouts_.size(); ++i) {
      for (int64_t t = 0; t < layouts_[i].count; ++t) {
        DecodeOne(tensors[i] + t * layouts_[i].detection_stride, layouts_[i], sx, sy, boxes);
      }
    }
  }

 private:
  void DecodeOne(const float* d, const ListLayout& layout, float sx, float sy,
                 std::vector<DetectedBox>* boxes) const {
    const ptrdiff_t step = layout.value_stride;
    const float confidence = d[4 * step];
    if (!(confidence >= attributes_.settings.score_threshold)) return;
    const int first_class = 5 + 2 * attributes_.landmarks;
    const int best = BestClass(d + first_class * step, layout.values - first_class, step);
    if (best < 0) return;
    const float score = confidence * d[(first_class + best) * step];
    if (!(score >= attributes_.settings.score_threshold)) return;

    DetectedBox box;
    const float half_w = d[2 * step] / 2;
    const float half_h = d[3 * step] / 2;
    box.x0 = (d[0] - half_w) * sx;
    box.y0 = (d[step] - half_h) * sy;
    box.x1 = (d[0] + half_w) * sx;
    box.y1 = (d[step] + half_h) * sy;
    box.score = score;
    box.class_index = best + attributes_.settings.class_index_base;
    for (int l = 0; l < attributes_.landmarks; ++l) {
      box.landmarks.push_back({d[(5 + 2 * l) * step] * sx, d[(6 + 2 * l) * step] * sy, 0});
    }
    boxes->push_back(std::move(box));
  }

  const std::vector<ListLayout> layouts_;
  const YoloAttributes attributes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5ListDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const YoloAttributes& attributes) {
  ASSIGN_OR_RETURN(const bool transposed, format.Bool("transposed", false));
  std::vector<ListLayout> layouts;
  for (const DetectionTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(
        const ListLayout layout,
        Annotate(ReadListLayout(tensor.shape, transposed, 5 + 2 * attributes.landmarks + 1),
                 absl::StrCat("output ", layouts.size())));
    layouts.push_back(layout);
  }
  return std::make_unique<Yolov5ListDecoder>(std::move(layouts), attributes);
}

}  // namespace synap_internal
