#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/yolo.h"
#include "runtime/vision/detector/yolo_list.h"

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

  void Decode(absl::Span<const float* const> tensors, float width, float height,
              std::vector<DetectedBox>* boxes) const override {
    for (size_t i = 0; i < layouts_.size(); ++i) {
      for (int64_t t = 0; t < layouts_[i].count; ++t) {
        DecodeOne(tensors[i] + t * layouts_[i].detection_stride, layouts_[i], width, height, boxes);
      }
    }
  }

 private:
  void DecodeOne(const float* d, const ListLayout& layout, float width, float height,
                 std::vector<DetectedBox>* boxes) const {
    const ptrdiff_t step = layout.value_stride;
    const int64_t classes = layout.values - kFirstClass - attributes_.landmarks * landmark_values_;
    const int best = BestClass(d + kFirstClass * step, classes, step);
    if (best < 0) return;
    const float score = d[(kFirstClass + best) * step];
    if (!(score >= attributes_.settings.score_threshold)) return;

    const float landmark_sx = width / attributes_.w_scale;
    const float landmark_sy = height / attributes_.h_scale;
    const float sx = bb_normalized_ ? width : landmark_sx;
    const float sy = bb_normalized_ ? height : landmark_sy;
    DetectedBox box;
    const float half_w = d[2 * step] / 2;
    const float half_h = d[3 * step] / 2;
    box.x0 = (d[0] - half_w) * sx;
    box.y0 = (d[step] - half_h) * sy;
    box.x1 = (d[0] + half_w) * sx;
    box.y1 = (d[step] + half_h) * sy;
    box.score = score;
    box.class_index = best + attributes_.settings.class_index_base;
    const float* point = d + (kFirstClass + classes) * step;
    for (int l = 0; l < attributes_.landmarks; ++l, point += landmark_values_ * step) {
      box.landmarks.push_back({point[0] * landmark_sx, point[step] * landmark_sy,
                               landmark_values_ == 3 ? point[2 * step] : 0});
    }
    boxes->push_back(std::move(box));
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
