// Decoders of boxes relative to priors, which follow from a network's input.
#ifndef RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_
#define RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// ssd, retinaface, ultraface: two tensors in any order, scores [1,N,C], activated, class 0 the
// background and not counted, and boxes [1,N,4], d; with retinaface maybe landmarks [1,N,10] (with
// landmarks=L [1,N,2*L]). The leading 1 may be missing. Priors p: for each stride of strides=[...],
// each cell and each size m of its list in min_sizes=[[...],...], around the cell's centre
// - a square of m pixels;
// - with max_sizes=[[...],...], for the size n at the same place, a square of sqrt(m n);
// - for each ratio r but 1 of its list in aspect_ratios=[[...],...] a rectangle of
//   m sqrt(r) x m / sqrt(r) pixels, and then one of m / sqrt(r) x m sqrt(r)
// (https://github.com/weiliu89/caffe, src/caffe/layers/prior_box_layer.cpp); or anchors=[x,y,w,h,
// ...] as parts of the image. Centres are multiples of the stride plus its half, with even=1 those
// of cells that divide the image evenly; with clip=1 priors are clipped to the image. With
// variances=[v0,v1], 0.1 and 0.2 if absent, as parts of the image:
//   centre x = px + dx v0 pw    width = pw exp(dw v1)    landmark x = px + dl v0 pw
// w_scale and h_scale are the input's size in pixels, for a square input optional.
// - retinaface: strides 8, 16, 32 with sizes 16, 32; 64, 128; 256, 512
//   (https://github.com/biubug6/Pytorch_Retinaface, layers/functions/prior_box.py).
// - ultraface: strides 8, 16, 32, 64 with sizes 10, 16, 24; 32, 48; 64, 96; 128, 192, 256; an
//   input of 320x240 unless given; even=1 clip=1
//   (https://github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB,
//   vision/utils/box_utils.py). decoded=1: boxes are x0, y0, x1, y1 as parts of the image,
//   computed by the network, and there are no priors.
// - ssd: nothing but the attributes.
// - yunet, with the tensors of AreYunetPriors: strides 8, 16, 32, 64, whose grids round down
//   (GridDefaults), with the sizes of ultraface; score = sqrt(class * quality)
//   (https://github.com/opencv/opencv, modules/objdetect/src/face_detect.cpp of 4.5.4). Widths and
//   heights have the variance v1 as in the network's training
//   (https://github.com/ShiqiYu/libfacedetection.train, src/utils.py of 2021). This differs on
//   purpose from OpenCV 4.5.4, which takes v0 for widths.
// InvalidArgument for shapes and attributes that don't fit.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakePriorBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// Whether these are YuNet's tensors of priors, in any order, the form of 2021: rows of a box and
// five landmarks [1,N,14], scores [1,N,2], activated, and qualities of boxes [1,N,1].
bool AreYunetPriors(absl::Span<const DetectionTensor> tensors);

// st_ssd: three tensors in this order, scores [1,N,C], activated, class 0 the background and not
// counted, boxes [1,N,4], d, and anchors [1,N,4], a = x0, y0, x1, y1 as parts of the image
// (https://github.com/STMicroelectronics/stm32ai-modelzoo-services, object_detection):
//   x0 = ax0 + d0 (ax1 - ax0)    x1 = ax1 + d2 (ax1 - ax0)    y0, y1 alike
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeStSsdDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// blazeface: two tensors in any order, logits [1,N,1] and [1,N,4+2*L], d = x, y, w, h, landmarks,
// in pixels relative to a cell's centre (MediaPipe's faces and palms,
// https://github.com/google/mediapipe, calculators/tflite/ssd_anchors_calculator.cc and
// tflite_tensors_to_detections_calculator.cc). Two grids over the image, of g x g cells with two
// detections each and g/2 x g/2 with six, N = 3.5 g^2; or one of g x g with one each, N = g^2.
// w_scale and h_scale: the input's size, 8 g (one grid: 4 g) pixels unless given.
//   centre x = (gx + 0.5) / g + dx / w_scale    width = dw / w_scale    score = s(logit)
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeBlazefaceDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_
