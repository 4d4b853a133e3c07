#include "runtime/vision/detector/tflite_boxes.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/float_math.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/list_layout.h"

namespace synap_internal {
namespace {

struct BoxScales {
  float x = 10;
  float y = 10;
  float h = 5;
  float w = 5;
};

class TfliteBoxesDecoder : public DetectionDecoder {
 public:
  TfliteBoxesDecoder(const ListLayout& boxes, const ListLayout& scores, std::vector<float> anchors,
                     const BoxScales& scales, const DetectionSettings& settings)
      : boxes_(boxes),
        scores_(scores),
        anchors_(std::move(anchors)),
        scales_(scales),
        settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    for (int64_t t = 0; t < boxes_.count; ++t) {
      const float* scores = input.tensors[1] + t * scores_.detection_stride;
      const int best = BestClass(scores, scores_.values, scores_.value_stride);
      if (best < 0) continue;
      const float score = scores[best * scores_.value_stride];
      if (!(score >= settings_.score_threshold)) continue;
      DetectedBox box = BoxAt(input.tensors[0], t, input.width, input.height);
      box.score = score;
      box.class_index = best + settings_.class_index_base;
      boxes->push_back(box);
    }
  }

 private:
  DetectedBox BoxAt(const float* deltas, int64_t t, float width, float height) const {
    const float* d = deltas + t * boxes_.detection_stride;
    const ptrdiff_t step = boxes_.value_stride;
    const float* a = anchors_.data() + 4 * t;
    const float y = d[0] / scales_.y * a[2] + a[0];
    const float x = d[step] / scales_.x * a[3] + a[1];
    const float half_h = 0.5f * Exp(d[2 * step] / scales_.h) * a[2];
    const float half_w = 0.5f * Exp(d[3 * step] / scales_.w) * a[3];
    DetectedBox box;
    box.x0 = (x - half_w) * width;
    box.y0 = (y - half_h) * height;
    box.x1 = (x + half_w) * width;
    box.y1 = (y + half_h) * height;
    return box;
  }

  const ListLayout boxes_, scores_;
  const std::vector<float> anchors_;
  const BoxScales scales_;
  const DetectionSettings settings_;
};

absl::Status ReadScale(const FormatString& format, absl::string_view key, float& scale) {
  ASSIGN_OR_RETURN(scale, format.Float(key, scale));
  if (scale > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("format attribute '", key, "' is ", scale, ", expected a positive number"));
}

absl::StatusOr<BoxScales> ReadScales(const FormatString& format) {
  BoxScales scales;
  RETURN_IF_ERROR(ReadScale(format, "x_scale", scales.x));
  RETURN_IF_ERROR(ReadScale(format, "y_scale", scales.y));
  RETURN_IF_ERROR(ReadScale(format, "h_scale", scales.h));
  RETURN_IF_ERROR(ReadScale(format, "w_scale", scales.w));
  return scales;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings) {
  if (tensors.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(tensors.size(), " output tensors, ",
                                                   format.type(), " needs 2: boxes and scores"));
  }
  ASSIGN_OR_RETURN(const bool transposed, format.Bool("transposed", false));
  ASSIGN_OR_RETURN(const ListLayout boxes, Annotate(ReadListLayout(tensors[0].shape, transposed, 4),
                                                    "output 0, the boxes"));
  ASSIGN_OR_RETURN(
      const ListLayout scores,
      Annotate(ReadListLayout(tensors[1].shape, transposed, 1), "output 1, the scores"));
  if (boxes.values != 4 || boxes.count != scores.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("shapes of the boxes and their scores are ", tensors[0].shape.ToString(),
                     " and ", tensors[1].shape.ToString(), ", expected ",
                     transposed ? "1x4xN and 1xCxN" : "1xNx4 and 1xNxC"));
  }
  ASSIGN_OR_RETURN(std::vector<float> anchors, format.Floats("anchors"));
  if (static_cast<int64_t>(anchors.size()) != 4 * boxes.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute 'anchors' has ", anchors.size(),
                     " numbers, expected 4 for each of ", boxes.count, " boxes"));
  }
  ASSIGN_OR_RETURN(const BoxScales scales, ReadScales(format));
  return std::make_unique<TfliteBoxesDecoder>(boxes, scores, std::move(anchors), scales, settings);
}

}  // namespace synap_internal
