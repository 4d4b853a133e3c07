// Decoders of networks that find each object once, without non-maximum suppression.
#ifndef RUNTIME_VISION_DETECTOR_END_TO_END_H_
#define RUNTIME_VISION_DETECTOR_END_TO_END_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// yolov10, yolo26: a tensor [1,N,D], the leading 1 may be missing, d = x0, y0, x1, y1, score,
// class; all coordinates are times width / w_scale and height / h_scale, 1 if absent.
//   ...pose: L * (x, y, visibility) after the class, landmarks=17 and visibility=1 unless given.
//   ...seg: M mask coefficients after the class, and the prototypes (prototype_masks.h).
//   ...obb: d = x, y, w, h, score, class, angle in radians; x, y the centre.
// https://docs.ultralytics.com/guides/end2end-detection. InvalidArgument for other shapes.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeEndToEndDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// rtdetr: a tensor [1,N,4+C], d = x, y, w, h, the centre and the size as parts of the image, and C
// activated scores (https://docs.ultralytics.com/models/rtdetr); or two tensors, logits [1,N,C] and
// boxes [1,N,4] (https://huggingface.co/docs/transformers/model_doc/rt_detr, pred_boxes).
// A query has its best class; scores are the logits' logistic function.
// detr: two tensors, whose scores are a softmax over the C logits, the last of which means
// that there is no object (https://arxiv.org/abs/2005.12872).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetrDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_END_TO_END_H_
