// Decoder of boxes and scores of each class, as a non-maximum suppression reads them.
#ifndef RUNTIME_VISION_DETECTOR_NMS_INPUT_H_
#define RUNTIME_VISION_DETECTOR_NMS_INPUT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

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
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_NMS_INPUT_H_
