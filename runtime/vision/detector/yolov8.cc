#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/task_values.h"

namespace synap_internal {
namespace {

constexpr int kFirstClass = 4;

// What a format's detections hold.
struct Yolov8Format {
  DetectionSettings settings;
  InputSize input;
  bool bb_normalized = false;
  TaskValues task;
};

class Yolov8Decoder : public DetectionDecoder {
 public:
  Yolov8Decoder(std::vector<ListLayout> layouts, const Yolov8Format& format)
      : layouts_(std::move(layouts)), format_(format) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const DetectionSettings& settings = format_.settings;
    for (size_t i = 0; i < layouts_.size(); ++i) {
      const ListLayout& layout = layouts_[i];
      const std::vector<ClassScore> best =
          BestClasses(input.tensors[i], layout, kFirstClass, ClassesOf(layout));
      for (int64_t t = 0; t < layout.count; ++t) {
        const ClassScore& score = best[static_cast<size_t>(t)];
        if (score.class_index < 0 || !(score.score >= settings.score_threshold)) continue;
        DetectedBox& box = boxes->emplace_back(
            BoxAt(input.tensors[i] + t * layout.detection_stride, layout, input));
        box.score = score.score;
        box.class_index = score.class_index + settings.class_index_base;
        box.tensor = static_cast<int32_t>(i);
        box.position = static_cast<int32_t>(t);
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const ListLayout& layout = layouts_[static_cast<size_t>(box.tensor)];
    const ptrdiff_t step = layout.value_stride;
    const float* d = input.tensors[static_cast<size_t>(box.tensor)] +
                     box.position * layout.detection_stride +
                     (kFirstClass + ClassesOf(layout)) * step;
    DescribeTask(format_.task, input, box, d, step, ScaleOf(input, format_.input), details);
  }

  int64_t classes() const override { return ClassesOf(layouts_[0]); }

 private:
  int64_t ClassesOf(const ListLayout& layout) const {
    return layout.values - kFirstClass - format_.task.count();
  }

  DetectedBox BoxAt(const float* d, const ListLayout& layout, const DetectionInput& input) const {
    const ptrdiff_t step = layout.value_stride;
    const BoxScale scale =
        format_.bb_normalized ? BoxScale{input.width, input.height} : ScaleOf(input, format_.input);
    if (!format_.task.oriented) return CenterBox(d[0], d[step], d[2 * step], d[3 * step], scale);
    // A box is turned in the network's pixels.
    const InputSize unit = format_.bb_normalized ? format_.input : InputSize{};
    return OrientedBox(d[0] * unit.width, d[step] * unit.height, d[2 * step] * unit.width,
                       d[3 * step] * unit.height, d[(layout.values - 1) * step],
                       ScaleOf(input, format_.input));
  }

  const std::vector<ListLayout> layouts_;
  const Yolov8Format format_;
};

// Where the attribute `transposed` doesn't tell.
bool AreValuesFirst(const Shape& shape) {
  constexpr int64_t kMoreThanClasses = 256;
  if (shape.rank() < 2) return true;
  const int64_t rows = shape[shape.rank() - 2];
  return !(rows >= kMoreThanClasses && rows > shape.back());
}

absl::StatusOr<Yolov8Format> ReadYolov8Format(absl::Span<const DetectionTensor> tensors,
                                              const DetectionOptions& options) {
  Yolov8Format result;
  result.settings = options.settings;
  ASSIGN_OR_RETURN(result.input, options.input_size.value_or(InputSize()));
  ASSIGN_OR_RETURN(result.bb_normalized, options.bb_normalized.value_or(false));
  ASSIGN_OR_RETURN(result.task, ReadTaskValues(tensors, options));
  return result;
}

}  // namespace

// yolov8, yolov9, yolo11: tensors [1,D,T], d = x, y, w, h, C activated scores, L * (x, y),
// with visibility=1 L * (x, y, visibility); no overall confidence. transposed=0 says
// [1,T,D]; without the attribute that is also assumed where the second dimension
// is at least 256 and longer than the third. Boxes are times width / w_scale
// (with bb_normalized=1 just width), landmarks always times width / w_scale; y alike.
//   ...pose: landmarks=17 and visibility=1 unless they are given.
//   ...seg: M mask coefficients after the scores, and a second tensor, the prototypes
//     (prototype_masks.h).
//   ...obb: an angle in radians after the scores (box_geometry.h); the corners are landmarks.
// See https://docs.ultralytics.com/tasks/ and, for the values' order, the heads
// Detect, Pose, Segment and OBB of ultralytics/nn/modules/head.py.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov8Decoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(const Yolov8Format yolov8, ReadYolov8Format(tensors, options));
  std::vector<ListLayout> layouts;
  for (const DetectionTensor& tensor : yolov8.task.masks ? tensors.first(1) : tensors) {
    ASSIGN_OR_RETURN(const bool values_first,
                     options.transposed.value_or(AreValuesFirst(tensor.shape)));
    ASSIGN_OR_RETURN(
        const ListLayout layout,
        Annotate(ReadListLayout(tensor.shape, values_first, kFirstClass + 1 + yolov8.task.count()),
                 absl::StrCat("output ", layouts.size())));
    layouts.push_back(layout);
  }
  return std::make_unique<Yolov8Decoder>(std::move(layouts), yolov8);
}

}  // namespace synap_internal
