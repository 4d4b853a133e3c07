#include "runtime/vision/detector/anchor_boxes.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/float_math.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/format_attributes.h"
#include "runtime/vision/detector/list_layout.h"

namespace synap_internal {
namespace {

// The tensors and the attributes of both formats.
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

 private:
  // Of the values d, `step` apart, and the anchor a.
  virtual DetectedBox BoxAt(const float* d, ptrdiff_t step, const float* a,
                            const DetectionInput& input) const = 0;

  const AnchorBoxes boxes_;
};

struct CoordinateScales {
  float x = 10;
  float y = 10;
  float h = 5;
  float w = 5;
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
                                            const FormatString& format,
                                            const DetectionSettings& settings) {
  if (tensors.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(tensors.size(), " output tensors, ",
                                                   format.type(), " needs 2: boxes and scores"));
  }
  AnchorBoxes result;
  result.settings = settings;
  ASSIGN_OR_RETURN(const bool transposed, format.Bool("transposed", false));
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
  ASSIGN_OR_RETURN(result.anchors, ReadAnchors(format, result.boxes.count));
  return result;
}

absl::Status ReadScale(const FormatString& format, absl::string_view key, float& scale) {
  ASSIGN_OR_RETURN(scale, PositiveAttribute(format, key, scale));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings) {
  ASSIGN_OR_RETURN(AnchorBoxes boxes, ReadAnchorBoxes(tensors, format, settings));
  CoordinateScales scales;
  RETURN_IF_ERROR(ReadScale(format, "x_scale", scales.x));
  RETURN_IF_ERROR(ReadScale(format, "y_scale", scales.y));
  RETURN_IF_ERROR(ReadScale(format, "h_scale", scales.h));
  RETURN_IF_ERROR(ReadScale(format, "w_scale", scales.w));
  return std::make_unique<TfliteBoxesDecoder>(std::move(boxes), scales);
}

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeRetinanetBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings) {
  ASSIGN_OR_RETURN(AnchorBoxes boxes, ReadAnchorBoxes(tensors, format, settings));
  ASSIGN_OR_RETURN(const InputSize scale, ReadInputSize(format));
  return std::make_unique<RetinanetBoxesDecoder>(std::move(boxes), scale);
}

}  // namespace synap_internal
