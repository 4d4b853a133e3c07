#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/yolo.h"

namespace synap_internal {
namespace {

class Yolov5ListDecoder : public DetectionDecoder {
 public:
  Yolov5ListDecoder(std::vector<ListLayout> layouts, const YoloAttributes& attributes)
      : layouts_(std::move(layouts)), attributes_(attributes) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const BoxScale scale = ScaleOf(input, attributes_.input);
    for (size_t i = 0; i < layouts_.size(); ++i) {
      for (int64_t t = 0; t < layouts_[i].count; ++t) {
        DetectedBox box;
        const float* d = input.tensors[i] + t * layouts_[i].detection_stride;
        if (!DecodeOne(d, layouts_[i], scale, box)) continue;
        box.tensor = static_cast<int32_t>(i);
        box.position = static_cast<int32_t>(t);
        boxes->push_back(box);
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const BoxScale scale = ScaleOf(input, attributes_.input);
    const ListLayout& layout = layouts_[static_cast<size_t>(box.tensor)];
    const ptrdiff_t step = layout.value_stride;
    const float* d =
        input.tensors[static_cast<size_t>(box.tensor)] + box.position * layout.detection_stride;
    for (int l = 0; l < attributes_.landmarks; ++l) {
      details->landmarks.push_back(
          {d[(5 + 2 * l) * step] * scale.x, d[(6 + 2 * l) * step] * scale.y, 0});
    }
  }

 private:
  // False if the score is below the threshold.
  bool DecodeOne(const float* d, const ListLayout& layout, BoxScale scale, DetectedBox& box) const {
    const ptrdiff_t step = layout.value_stride;
    const float confidence = d[4 * step];
    if (!(confidence >= attributes_.settings.score_threshold)) return false;
    const int first_class = 5 + 2 * attributes_.landmarks;
    const int best = BestClass(d + first_class * step, layout.values - first_class, step);
    if (best < 0) return false;
    const float score = confidence * d[(first_class + best) * step];
    if (!(score >= attributes_.settings.score_threshold)) return false;

    box = CenterBox(d[0], d[step], d[2 * step], d[3 * step], scale);
    box.score = score;
    box.class_index = best + attributes_.settings.class_index_base;
    return true;
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
