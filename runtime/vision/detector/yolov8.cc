#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/yolo.h"

namespace synap_internal {
namespace {

constexpr int kFirstClass = 4;

class Yolov8Decoder : public DetectionDecoder {
 public:
  Yolov8Decoder(std::vector<ListLayout> layouts, const YoloAttributes& attributes,
                bool bb_normalized, bool visibility)
      : layouts_(std::move(layouts)),
        attributes_(attributes),
        bb_normalized_(bb_normalized),
        landmark_values_(visibility ? 3 : 2) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    for (size_t i = 0; i < layouts_.size(); ++i) {
      const ListLayout& layout = layouts_[i];
      const std::vector<ClassScore> best =
          BestClasses(input.tensors[i], layout, kFirstClass, ClassesOf(layout));
      for (int64_t t = 0; t < layout.count; ++t) {
        const ClassScore& score = best[static_cast<size_t>(t)];
        if (score.class_index < 0 || !(score.score >= attributes_.settings.score_threshold)) {
          continue;
        }
        DetectedBox box =
            BoxAt(input.tensors[i] + t * layout.detection_stride, layout.value_stride, input);
        box.score = score.score;
        box.class_index = score.class_index + attributes_.settings.class_index_base;
        box.tensor = static_cast<int32_t>(i);
        box.position = static_cast<int32_t>(t);
        boxes->push_back(box);
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const ListLayout& layout = layouts_[static_cast<size_t>(box.tensor)];
    const ptrdiff_t step = layout.value_stride;
    const float* point = input.tensors[static_cast<size_t>(box.tensor)] +
                         box.position * layout.detection_stride +
                         (kFirstClass + ClassesOf(layout)) * step;
    const float sx = input.width / attributes_.w_scale;
    const float sy = input.height / attributes_.h_scale;
    for (int l = 0; l < attributes_.landmarks; ++l, point += landmark_values_ * step) {
      details->landmarks.push_back(
          {point[0] * sx, point[step] * sy, landmark_values_ == 3 ? point[2 * step] : 0});
    }
  }

 private:
  int64_t ClassesOf(const ListLayout& layout) const {
    return layout.values - kFirstClass - attributes_.landmarks * landmark_values_;
  }

  DetectedBox BoxAt(const float* d, ptrdiff_t step, const DetectionInput& input) const {
    const float sx = bb_normalized_ ? input.width : input.width / attributes_.w_scale;
    const float sy = bb_normalized_ ? input.height : input.height / attributes_.h_scale;
    DetectedBox box;
    const float half_w = d[2 * step] / 2;
    const float half_h = d[3 * step] / 2;
    box.x0 = (d[0] - half_w) * sx;
    box.y0 = (d[step] - half_h) * sy;
    box.x1 = (d[0] + half_w) * sx;
    box.y1 = (d[step] + half_h) * sy;
    return box;
  }

  const std::vector<ListLayout> layouts_;
  const YoloAttributes attributes_;
  const bool bb_normalized_;
  const int landmark_values_;  // x, y and perhaps visibility
};

// See yolo.h.
absl::StatusOr<bool> ValuesFirst(const Shape& shape, const FormatString& format) {
  constexpr int64_t kMoreThanClasses = 256;
  if (format.Has("transposed") || shape.rank() < 2) return format.Bool("transposed", true);
  const int64_t rows = shape[shape.rank() - 2];
  return !(rows >= kMoreThanClasses && rows > shape.back());
}

}  // namespace

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov8Decoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings) {
  ASSIGN_OR_RETURN(const YoloAttributes attributes, ReadYoloAttributes(format, settings));
  ASSIGN_OR_RETURN(const bool bb_normalized, format.Bool("bb_normalized", false));
  ASSIGN_OR_RETURN(const bool visibility, format.Bool("visibility", false));
  const int landmark_values = attributes.landmarks * (visibility ? 3 : 2);
  std::vector<ListLayout> layouts;
  for (const DetectionTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(const bool values_first, ValuesFirst(tensor.shape, format));
    ASSIGN_OR_RETURN(
        const ListLayout layout,
        Annotate(ReadListLayout(tensor.shape, values_first, kFirstClass + 1 + landmark_values),
                 absl::StrCat("output ", layouts.size())));
    layouts.push_back(layout);
  }
  return std::make_unique<Yolov8Decoder>(std::move(layouts), attributes, bb_normalized, visibility);
}

}  // namespace synap_internal
