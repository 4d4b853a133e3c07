// Decoders of boxes relative to the cells of grids, without anchors.
#ifndef RUNTIME_VISION_DETECTOR_GRID_FORMATS_H_
#define RUNTIME_VISION_DETECTOR_GRID_FORMATS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {

// All formats: s a level's stride in pixels of the network's input, (gx, gy) a cell's column and
// row, d its values. w_scale and h_scale are the input's size, strides=[...] its levels' strides
// (cell_grid.h). Lists may lack the leading 1. InvalidArgument for shapes that don't fit.

// yolox: a tensor [1,N,5+C] of all levels, strides 8, 16, 32, d = x, y, w, h, then activated
// confidence and class scores (https://github.com/Megvii-BaseDetection/YOLOX,
// yolox/utils/demo_utils.py):
//   centre x = (dx + gx) s    width = exp(dw) s    score = confidence * class
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYoloxDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// yunet: for each of the strides 8, 16, 32 four tensors [1,N,V], in any order: a score of the class
// and one of the object (V = 1), boxes (V = 4), five landmarks (V = 10, may be missing)
// (https://github.com/opencv/opencv, modules/objdetect/src/face_detect.cpp):
//   centre x = (dx + gx) s    width = exp(dw) s    score = sqrt(class * object), both in [0, 1]
//   landmark x = (dl + gx) s
// Its older form is told by its tensors (prior_boxes.h, AreYunetPriors).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYunetDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// scrfd: for each of the strides 8, 16, 32 three tensors [1,N,V], in any order: scores (V = 1),
// boxes (V = 4), five landmarks (V = 10, may be missing), two detections for each cell
// (https://github.com/deepinsight/insightface, detection/scrfd/tools/scrfd.py):
//   x0 = (gx - d0) s    y0 = (gy - d1) s    x1 = (gx + d2) s    y1 = (gy + d3) s
//   landmark x = (gx + dl) s
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeScrfdDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// nanodet: for each of the strides 8, 16, 32 two tensors, activated scores [1,N,C] and distances
// [1,N,4*B], in any order, B = reg_max + 1 bins, reg_max=7 unless given. nanodet_plus: a tensor
// [1,N,C+4*B] of all levels, strides 8, 16, 32, 64 (https://github.com/RangiLyu/nanodet,
// demo_ncnn/nanodet.cpp and nanodet/model/head/nanodet_plus_head.py). With the mean bin m(i) of a
// softmax over the bins of side i, and c = 0.5 for nanodet, 0 for nanodet_plus:
//   x0 = (gx + c - m(0)) s    y0 = (gy + c - m(1)) s    x1 = (gx + c + m(2)) s    y1 alike
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeNanodetDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

// fastestdet: a tensor [1,5+C,H,W] (transposed=1: [1,H,W,5+C]) of one level, d = activated
// confidence, logits of x, y, w, h, activated class scores
// (https://github.com/dog-qiuqiu/FastestDet, example/onnx-runtime/runtime.py):
//   centre x = (gx + tanh(d1)) / W    width = sigmoid(d3)    score = confidence * class
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeFastestdetDecoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_GRID_FORMATS_H_
