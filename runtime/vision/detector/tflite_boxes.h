// Decoder of boxes relative to anchors, the outputs of TensorFlow's single-shot detectors.
#ifndef RUNTIME_VISION_DETECTOR_TFLITE_BOXES_H_
#define RUNTIME_VISION_DETECTOR_TFLITE_BOXES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// tflite_detection_boxes, tflite_detection_input: what TFLite_Detection_PostProcess reads. Tensors
// [1,N,4], d = y, x, h, w, and [1,N,C], activated scores; transposed=1: [1,4,N] and [1,C,N]; the
// leading 1 may be missing. anchors=[y,x,h,w,...], N of them, a = the centre and the size as parts
// of the image. Of the image that is the rectangle:
//   centre y = dy / y_scale * ah + ay      height = exp(dh / h_scale) * ah
// and x, w alike. x_scale and y_scale are 10, h_scale and w_scale 5 if they are absent. A box has
// its best class, plus class_index_base: -1 for networks whose class 0 is the background.
// InvalidArgument for shapes or attributes that don't fit.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_TFLITE_BOXES_H_
