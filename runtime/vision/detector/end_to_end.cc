#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/float_math.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/task_values.h"

namespace synap_internal {
namespace {

constexpr int kScore = 4;
constexpr int kClass = 5;
constexpr int kFirstExtra = 6;

struct EndToEndFormat {
  DetectionSettings settings;
  InputSize input;
  TaskValues task;
};

class EndToEndDecoder : public DetectionDecoder {
 public:
  EndToEndDecoder(const ListLayout& layout, const EndToEndFormat& format)
      : layout_(layout), format_(format) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const BoxScale scale = ScaleOf(input, format_.input);
    for (int64_t t = 0; t < layout_.count; ++t) {
      const float* d = input.tensors[0] + t * layout_.values;
      if (!(d[kScore] >= format_.settings.score_threshold)) continue;
      DetectedBox& box = boxes->emplace_back(
          format_.task.oriented ? OrientedBox(d[0], d[1], d[2], d[3], d[kFirstExtra], scale)
                                : CornerBox(d[0], d[1], d[2], d[3], scale));
      box.score = d[kScore];
      box.class_index = ClassIndexOf(d[kClass]) + format_.settings.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const float* d = input.tensors[0] + box.position * layout_.values + kFirstExtra;
    DescribeTask(format_.task, input, box, d, 1, ScaleOf(input, format_.input), details);
  }

 private:
  const ListLayout layout_;
  const EndToEndFormat format_;
};

enum class Activation { kNone, kSigmoid, kSoftmax };

// The detections' boxes and their scores, in one tensor or in two.
struct DetrTensors {
  size_t boxes_tensor = 0;
  ListLayout boxes;
  size_t scores_tensor = 0;
  ListLayout scores;
  int64_t first_class = 0;
  int64_t classes = 0;
  Activation activation = Activation::kNone;
};

class DetrDecoder : public DetectionDecoder {
 public:
  DetrDecoder(const DetrTensors& tensors, const DetectionSettings& settings)
      : tensors_(tensors), settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    for (int64_t t = 0; t < tensors_.boxes.count; ++t) {
      const float* values =
          input.tensors[tensors_.scores_tensor] + t * tensors_.scores.values + tensors_.first_class;
      const float* last = values + tensors_.classes;
      const float* best = std::max_element(values, last);
      const float score = Activated(*best, {values, static_cast<size_t>(tensors_.scores.values)});
      if (!(score >= settings_.score_threshold)) continue;
      const float* d = input.tensors[tensors_.boxes_tensor] + t * tensors_.boxes.values;
      DetectedBox& box =
          boxes->emplace_back(CenterBox(d[0], d[1], d[2], d[3], {input.width, input.height}));
      box.score = score;
      box.class_index = static_cast<int>(best - values) + settings_.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  int64_t classes() const override { return tensors_.classes; }

 private:
  float Activated(float value, absl::Span<const float> logits) const {
    if (tensors_.activation == Activation::kNone) return value;
    if (tensors_.activation == Activation::kSigmoid) return Sigmoid(value);
    const float largest = *std::max_element(logits.begin(), logits.end());
    float sum = 0;
    for (const float logit : logits) sum += Exp(logit - largest);
    return Exp(value - largest) / sum;
  }

  const DetrTensors tensors_;
  const DetectionSettings settings_;
};

absl::StatusOr<DetrTensors> ReadDetrTensors(absl::Span<const DetectionTensor> tensors,
                                            const DetectionOptions& options) {
  const bool softmax = options.type == "detr";
  if (tensors.size() != 2 && (softmax || tensors.size() != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, ", options.type, " needs ",
                     softmax ? "2: logits and boxes" : "1, or 2: logits and boxes"));
  }
  DetrTensors result;
  if (tensors.size() == 1) {
    ASSIGN_OR_RETURN(result.boxes,
                     Annotate(ReadListLayout(tensors[0].shape, false, 5), "output 0"));
    result.scores = result.boxes;
    result.first_class = 4;
    result.classes = result.boxes.values - 4;
    return result;
  }
  result.boxes_tensor = 1;
  result.activation = softmax ? Activation::kSoftmax : Activation::kSigmoid;
  ASSIGN_OR_RETURN(result.scores, Annotate(ReadListLayout(tensors[0].shape, false, softmax ? 2 : 1),
                                           "output 0, the logits"));
  ASSIGN_OR_RETURN(result.boxes,
                   Annotate(ReadListLayout(tensors[1].shape, false, 4), "output 1, the boxes"));
  result.classes = result.scores.values - (softmax ? 1 : 0);
  if (result.boxes.values == 4 && result.boxes.count == result.scores.count) return result;
  return absl::InvalidArgumentError(
      absl::StrCat("shapes of the logits and the boxes are ", tensors[0].shape.ToString(), " and ",
                   tensors[1].shape.ToString(), ", expected 1xNxC and 1xNx4"));
}

}  // namespace

// yolov10, yolo26: a tensor [1,N,D], the leading 1 may be missing, d = x0, y0, x1, y1, score,
// class; all coordinates are times width / w_scale and height / h_scale, 1 if absent.
//   ...pose: L * (x, y, visibility) after the class, landmarks=17 and visibility=1 unless given.
//   ...seg: M mask coefficients after the class, and the prototypes (prototype_masks.h).
//   ...obb: d = x, y, w, h, score, class, angle in radians; x, y the centre.
// https://docs.ultralytics.com/guides/end2end-detection. InvalidArgument for other shapes.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeEndToEndDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  EndToEndFormat result = {.settings = options.settings};
  ASSIGN_OR_RETURN(result.input, options.input_size.value_or(InputSize()));
  ASSIGN_OR_RETURN(result.task, ReadTaskValues(tensors, options));
  if (!result.task.masks && tensors.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, ", options.type, " needs 1"));
  }
  ASSIGN_OR_RETURN(const ListLayout layout,
                   Annotate(ReadListLayout(tensors[0].shape, false, 6), "output 0"));
  const int64_t values = kFirstExtra + result.task.count();
  if (layout.values != values) {
    return absl::InvalidArgumentError(absl::StrCat("output 0: its shape is ",
                                                   tensors[0].shape.ToString(), ", expected 1xNx",
                                                   values, " of ", options.type));
  }
  return std::make_unique<EndToEndDecoder>(layout, result);
}

// rtdetr: a tensor [1,N,4+C], d = x, y, w, h, the centre and the size as parts of the image, and C
// activated scores (https://docs.ultralytics.com/models/rtdetr); or two tensors, logits [1,N,C] and
// boxes [1,N,4] (https://huggingface.co/docs/transformers/model_doc/rt_detr, pred_boxes).
// A query has its best class; scores are the logits' logistic function.
// detr: two tensors, whose scores are a softmax over the C logits, the last of which means
// that there is no object (https://arxiv.org/abs/2005.12872).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetrDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(const DetrTensors detr, ReadDetrTensors(tensors, options));
  return std::make_unique<DetrDecoder>(detr, options.settings);
}

}  // namespace synap_internal
