// Decoders of the yolo family. In the comments: d a detection's values, L landmarks, C classes, A
// anchors, T detections, s() the logistic function. REQUIRES: at least one tensor.
#ifndef RUNTIME_VISION_DETECTOR_YOLO_H_
#define RUNTIME_VISION_DETECTOR_YOLO_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/detector/format_attributes.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// Attributes that both forms of yolov5 share.
struct YoloAttributes {
  DetectionSettings settings;
  int landmarks = 0;
  InputSize input;  // coordinates are divided by it
};

// InvalidArgument for attributes out of their range.
absl::StatusOr<YoloAttributes> ReadYoloAttributes(const FormatString& format,
                                                  const DetectionSettings& settings);

// yolov5: a list or a pyramid, by the rank of tensor 0.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5Decoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// yolov5 whose boxes are decoded in the model: tensors [1,T,D] (transposed=1:
// [1,D,T]; the leading 1 may be missing), d = x, y, w, h, confidence, L * (x, y),
// C activated scores; D = 5 + 2L + C. x and y are the centre. All coordinates
// are times width / w_scale and height / h_scale.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5ListDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const YoloAttributes& attributes);

// yolov5 cut before its decoding: a tensor of raw logits for each level p of the
// image pyramid, d as above. Layouts:
//   [1,H,W,A*D]  [1,H,W,A,D]  [1,A,H,W,D]  transposed=1: [1,A*D,H,W]  [1,A,D,H,W]
// anchors=[[],[],[],[w,h,...],...] in pixels, one non-empty list for each
// tensor, its place in the list is p. With the cell (gx, gy) of the grid:
//   x = (2 s(dx) - 0.5 + gx) 2^p        w = (2 s(dw))^2 anchor_w
//   landmark x = dl anchor_w + gx 2^p   score = s(confidence) s(class)
// and y, h alike; then from the network's input, W0 2^p0 by H0 2^p0, to the
// rectangle (W0, H0, p0: of tensor 0).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5PyramidDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const YoloAttributes& attributes);

// yolov8, yolov9, yolo11: tensors [1,D,T], d = x, y, w, h, C activated scores, L * (x, y),
// with visibility=1 L * (x, y, visibility); no overall confidence. transposed=0 says
// [1,T,D]; without the attribute that is also assumed where the second dimension
// is at least 256 and longer than the third. Boxes are times width / w_scale
// (with bb_normalized=1 just width), landmarks always times width / w_scale; y alike.
//   ...pose: landmarks=17 and visibility=1 unless they are given.
//   ...seg: M mask coefficients after the scores, and a second tensor, the prototypes
//     (prototype_masks.h).
//   ...obb: an angle in radians after the scores (box_geometry.h); the corners are landmarks.
// See https://docs.ultralytics.com/tasks/ and, for the values' order, the heads
// Detect, Pose, Segment and OBB of ultralytics/nn/modules/head.py.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov8Decoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_YOLO_H_
