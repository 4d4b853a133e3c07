#include <algorithm>
#include <cstdint>
#include <memory>
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

namespace synap_internal {
namespace {

struct NmsInputFormat {
  ListLayout boxes;
  ListLayout scores;
  BoxForm form = BoxForm::kYxyx;
  InputSize input;
  int background = -1;  // -1: no class is
  bool only_best = false;
  DetectionSettings settings;
};

class NmsInputDecoder : public DetectionDecoder {
 public:
  explicit NmsInputDecoder(const NmsInputFormat& format) : format_(format) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    if (format_.only_best) {
      DecodeBest(input, boxes);
    } else {
      DecodeAll(input, boxes);
    }
  }

  int64_t classes() const override { return format_.scores.values; }

 private:
  float Score(const DetectionInput& input, int64_t t, int64_t c) const {
    const ListLayout& scores = format_.scores;
    return input.tensors[1][t * scores.detection_stride + c * scores.value_stride];
  }

  void DecodeAll(const DetectionInput& input, std::vector<DetectedBox>* boxes) const {
    // In the order of memory.
    const bool class_by_class = format_.scores.detection_stride == 1;
    const int64_t outer = class_by_class ? format_.scores.values : format_.scores.count;
    const int64_t inner = class_by_class ? format_.scores.count : format_.scores.values;
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        const int64_t t = class_by_class ? j : i;
        const int64_t c = class_by_class ? i : j;
        Add(input, t, c, Score(input, t, c), boxes);
      }
    }
  }

  void DecodeBest(const DetectionInput& input, std::vector<DetectedBox>* boxes) const {
    for (int64_t t = 0; t < format_.scores.count; ++t) {
      int64_t best = -1;
      for (int64_t c = 0; c < format_.scores.values; ++c) {
        if (c == format_.background) continue;
        if (best < 0 || Score(input, t, c) > Score(input, t, best)) best = c;
      }
      if (best >= 0) Add(input, t, best, Score(input, t, best), boxes);
    }
  }

  void Add(const DetectionInput& input, int64_t t, int64_t c, float score,
           std::vector<DetectedBox>* boxes) const {
    if (!(score >= format_.settings.score_threshold) || c == format_.background) return;
    DetectedBox& box = boxes->emplace_back(BoxAt(input.tensors[0] + 4 * t, input));
    box.score = score;
    box.class_index = static_cast<int>(c) + format_.settings.class_index_base;
    box.position = static_cast<int32_t>(t);
  }

  DetectedBox BoxAt(const float* d, const DetectionInput& input) const {
    const BoxScale scale = ScaleOf(input, format_.input);
    if (format_.form == BoxForm::kXywh) return CenterBox(d[0], d[1], d[2], d[3], scale);
    const int x = format_.form == BoxForm::kXyxy ? 0 : 1;
    const int y = 1 - x;
    return CornerBox(std::min(d[x], d[x + 2]), std::min(d[y], d[y + 2]), std::max(d[x], d[x + 2]),
                     std::max(d[y], d[y + 2]), scale);
  }

  const NmsInputFormat format_;
};

absl::Status ReadTensors(absl::Span<const DetectionTensor> tensors, NmsInputFormat& result) {
  ASSIGN_OR_RETURN(result.boxes,
                   Annotate(ReadListLayout(tensors[0].shape, false, 4), "output 0, the boxes"));
  const Shape& shape = tensors[1].shape;
  const bool classes_first = shape.rank() > 0 && shape.back() == result.boxes.count;
  ASSIGN_OR_RETURN(result.scores,
                   Annotate(ReadListLayout(shape, classes_first, 1), "output 1, the scores"));
  if (result.boxes.values == 4 && result.boxes.count == result.scores.count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("shapes of the boxes and their scores are ", tensors[0].shape.ToString(),
                   " and ", shape.ToString(), ", expected 1xNx4 and 1xCxN or 1xNxC"));
}

}  // namespace

// nms_input: the first two operands of ONNX's NonMaxSuppression
// (https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html), boxes [1,N,4] and activated scores
// [1,C,N], or [1,N,C] if that can't be the former; the leading 1 may be missing. Each class whose
// score reaches the threshold is a box of its own, with best=1 only the best class; background=K
// is a class that isn't counted. A box, times width / w_scale and height / h_scale, is by `box`
//   yxyx  the ends of a diagonal, any of the two, y before x; so without the attribute
//   xyxy  the same, x before y
//   xywh  centre and size
// InvalidArgument for shapes or attributes that don't fit.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeNmsInputDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  if (tensors.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(tensors.size(), " output tensors, ",
                                                   options.type, " needs 2: boxes and scores"));
  }
  NmsInputFormat result;
  result.settings = options.settings;
  RETURN_IF_ERROR(ReadTensors(tensors, result));
  ASSIGN_OR_RETURN(result.form, options.box.value_or(BoxForm::kYxyx));
  ASSIGN_OR_RETURN(result.input, options.input_size.value_or(InputSize()));
  ASSIGN_OR_RETURN(result.only_best, options.best.value_or(false));
  ASSIGN_OR_RETURN(result.background, options.background.value_or(-1));
  if (result.background < -1 || result.background >= result.scores.values) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'background' is ",
                                                   result.background, ", expected a class from 0 ",
                                                   "to ", result.scores.values - 1, ", or -1"));
  }
  return std::make_unique<NmsInputDecoder>(result);
}

}  // namespace synap_internal
