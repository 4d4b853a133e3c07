// Decoders of boxes relative to anchors that the format lists.
#ifndef RUNTIME_VISION_DETECTOR_ANCHOR_BOXES_H_
#define RUNTIME_VISION_DETECTOR_ANCHOR_BOXES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// Both formats: tensors [1,N,4], d, and [1,N,C], activated scores; transposed=1: [1,4,N] and
// [1,C,N]; the leading 1 may be missing. anchors=[...], four numbers a for each of N boxes. A box
// has its best class, plus class_index_base: -1 for networks whose class 0 is the background.
// InvalidArgument for shapes or attributes that don't fit.

// tflite_detection_boxes, tflite_detection_input: what TFLite_Detection_PostProcess reads
// (tensorflow/lite/kernels/detection_postprocess.cc). d = y, x, h, w; a = y, x, h, w, the centre
// and the size as parts of the image. Of the image that is the rectangle:
//   centre y = dy / y_scale * ah + ay      height = exp(dh / h_scale) * ah
// and x, w alike. x_scale and y_scale are 10, h_scale and w_scale 5 if they are absent.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// retinanet_boxes: d = x0, y0, x1, y1; a = x0, y0, x1, y1 (keras-retinanet's
// bbox_transform_inv, mean 0 and standard deviation 0.2, https://github.com/fizyr/keras-retinanet):
//   x0 = ax0 + 0.2 * dx0 * (ax1 - ax0)     x1 = ax1 + 0.2 * dx1 * (ax1 - ax0)
// and y alike; then times width / w_scale and height / h_scale, which are 1 if absent, as for
// anchors that are parts of the image.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeRetinanetBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_ANCHOR_BOXES_H_
