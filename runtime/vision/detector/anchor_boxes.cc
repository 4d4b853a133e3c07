#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
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

namespace synap_internal {
namespace {

// The tensors and the attributes of both formats: tensors [1,N,4], d, and [1,N,C], activated
// scores; transposed=1: [1,4,N] and [1,C,N]; the leading 1 may be missing. anchors=[...], four
// numbers a for each of N boxes. A box has its best class, plus class_index_base: -1 for networks
// whose class 0 is the background.
struct AnchorBoxes {
  ListLayout boxes;
  ListLayout scores;
  std::vector<float> anchors;  // 4 for each box
  DetectionSettings settings;
};

class AnchorBoxesDecoder : public DetectionDecoder {
 public:
  explicit AnchorBoxesDecoder(AnchorBoxes boxes) : boxes_(std::move(boxes)) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const std::vector<ClassScore> best =
        BestClasses(input.tensors[1], boxes_.scores, 0, boxes_.scores.values);
    for (int64_t t = 0; t < boxes_.boxes.count; ++t) {
      const ClassScore& score = best[static_cast<size_t>(t)];
      if (score.class_index < 0 || !(score.score >= boxes_.settings.score_threshold)) continue;
      const float* d = input.tensors[0] + t * boxes_.boxes.detection_stride;
      DetectedBox& box = boxes->emplace_back(
          BoxAt(d, boxes_.boxes.value_stride, boxes_.anchors.data() + 4 * t, input));
      box.score = score.score;
      box.class_index = score.class_index + boxes_.settings.class_index_base;
    }
  }

  int64_t classes() const override { return boxes_.scores.values; }

 private:
  // Of the values d, `step` apart, and the anchor a.
  virtual DetectedBox BoxAt(const float* d, ptrdiff_t step, const float* a,
                            const DetectionInput& input) const = 0;

  const AnchorBoxes boxes_;
};

class TfliteBoxesDecoder : public AnchorBoxesDecoder {
 public:
  TfliteBoxesDecoder(AnchorBoxes boxes, const CoordinateScales& scales)
      : AnchorBoxesDecoder(std::move(boxes)), scales_(scales) {}

 private:
  DetectedBox BoxAt(const float* d, ptrdiff_t step, const float* a,
                    const DetectionInput& input) const override {
    const float y = d[0] / scales_.y * a[2] + a[0];
    const float x = d[step] / scales_.x * a[3] + a[1];
    const float h = Exp(d[2 * step] / scales_.h) * a[2];
    const float w = Exp(d[3 * step] / scales_.w) * a[3];
    return CenterBox(x, y, w, h, {input.width, input.height});
  }

  const CoordinateScales scales_;
};

class RetinanetBoxesDecoder : public AnchorBoxesDecoder {
 public:
  RetinanetBoxesDecoder(AnchorBoxes boxes, const InputSize& scale)
      : AnchorBoxesDecoder(std::move(boxes)), scale_(scale) {}

 private:
  DetectedBox BoxAt(const float* d, ptrdiff_t step, const float* a,
                    const DetectionInput& input) const override {
    constexpr float kDeviation = 0.2f;
    const float w = kDeviation * (a[2] - a[0]);
    const float h = kDeviation * (a[3] - a[1]);
    return CornerBox(a[0] + d[0] * w, a[1] + d[step] * h, a[2] + d[2 * step] * w,
                     a[3] + d[3 * step] * h, ScaleOf(input, scale_));
  }

  const InputSize scale_;
};

absl::StatusOr<AnchorBoxes> ReadAnchorBoxes(absl::Span<const DetectionTensor> tensors,
                                            const DetectionOptions& options) {
  if (tensors.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(tensors.size(), " output tensors, ",
                                                   options.type, " needs 2: boxes and scores"));
  }
  AnchorBoxes result;
  result.settings = options.settings;
  ASSIGN_OR_RETURN(const bool transposed, options.transposed.value_or(false));
  ASSIGN_OR_RETURN(result.boxes, Annotate(ReadListLayout(tensors[0].shape, transposed, 4),
                                          "output 0, the boxes"));
  ASSIGN_OR_RETURN(result.scores, Annotate(ReadListLayout(tensors[1].shape, transposed, 1),
                                           "output 1, the scores"));
  if (result.boxes.values != 4 || result.boxes.count != result.scores.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("shapes of the boxes and their scores are ", tensors[0].shape.ToString(),
                     " and ", tensors[1].shape.ToString(), ", expected ",
                     transposed ? "1x4xN and 1xCxN" : "1xNx4 and 1xNxC"));
  }
  ASSIGN_OR_RETURN(result.anchors, BoxAnchors(options, result.boxes.count));
  return result;
}

}  // namespace

// tflite_detection_boxes, tflite_detection_input: what TFLite_Detection_PostProcess reads
// (tensorflow/lite/kernels/detection_postprocess.cc). d = y, x, h, w; a = y, x, h, w, the centre
// and the size as parts of the image. Of the image that is the rectangle:
//   centre y = dy / y_scale * ah + ay      height = exp(dh / h_scale) * ah
// and x, w alike. x_scale and y_scale are 10, h_scale and w_scale 5 if they are absent.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(AnchorBoxes boxes, ReadAnchorBoxes(tensors, options));
  ASSIGN_OR_RETURN(const CoordinateScales scales, options.coordinate_scales);
  return std::make_unique<TfliteBoxesDecoder>(std::move(boxes), scales);
}

// retinanet_boxes: d = x0, y0, x1, y1; a = x0, y0, x1, y1 (keras-retinanet's
// bbox_transform_inv, mean 0 and standard deviation 0.2, https://github.com/fizyr/keras-retinanet):
//   x0 = ax0 + 0.2 * dx0 * (ax1 - ax0)     x1 = ax1 + 0.2 * dx1 * (ax1 - ax0)
// and y alike; then times width / w_scale and height / h_scale, which are 1 if absent, as for
// anchors that are parts of the image.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeRetinanetBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(AnchorBoxes boxes, ReadAnchorBoxes(tensors, options));
  ASSIGN_OR_RETURN(const InputSize scale, options.input_size.value_or(InputSize()));
  return std::make_unique<RetinanetBoxesDecoder>(std::move(boxes), scale);
}

}  // namespace synap_internal
