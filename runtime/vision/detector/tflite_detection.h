// Decoder of the outputs of TensorFlow Lite's TFLite_Detection_PostProcess.
#ifndef RUNTIME_VISION_DETECTOR_TFLITE_DETECTION_H_
#define RUNTIME_VISION_DETECTOR_TFLITE_DETECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// tflite_detection: boxes [1,M,4] = y0, x0, y1, x1, classes [1,M], scores [1,M] and the
// count of valid ones, a single value, which is limited to M; the leading 1 may be missing
// (tensorflow/lite/kernels/detection_postprocess.cc). Coordinates are parts of the image, unless
// w_scale and h_scale say what they are to be divided by. InvalidArgument for other shapes.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_TFLITE_DETECTION_H_
