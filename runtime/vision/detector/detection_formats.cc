#include "runtime/vision/detector/detection_formats.h"

namespace synap_internal {

// Each is defined beside its decoder, where a comment has the format's formulas.
DetectionDecoderMaker MakeYolov5Decoder, MakeYolov8Decoder, MakeEndToEndDecoder, MakeDetrDecoder,
    MakeYoloxDecoder, MakeNanodetDecoder, MakeFastestdetDecoder, MakeYunetDecoder, MakeScrfdDecoder,
    MakePriorBoxesDecoder, MakeStSsdDecoder, MakeBlazefaceDecoder, MakeRetinanetBoxesDecoder,
    MakeNmsInputDecoder, MakeTfliteBoxesDecoder, MakeTfliteDetectionDecoder;

namespace {

constexpr absl::string_view kTfliteBoxes =
    "the inputs of TFLite_Detection_PostProcess: boxes [1,N,4] relative to `anchors` and scores "
    "[1,N,C] (`transposed=1`: [1,4,N], [1,C,N]); attributes `x_scale`, `y_scale`, `h_scale`, "
    "`w_scale` are those of that operator";
constexpr absl::string_view kYolov8 =
    "lists [1,D,T] (`transposed=0`: [1,T,D]); D = x, y, w, h, classes, `landmarks` * (x, y), with "
    "`visibility=1` * (x, y, visibility); coordinates are divided by `w_scale` and `h_scale`, with "
    "`bb_normalized=1` only those of landmarks";
constexpr absl::string_view kPose =
    "as `yolov8`, with 17 landmarks and `visibility=1` unless they are given";
constexpr absl::string_view kSegmentation =
    "as `yolov8`, then M mask coefficients; and prototypes [1,M,H,W] or [1,H,W,M], M the smaller "
    "of both, or as `prototypes=nchw` or `nhwc` says";
constexpr absl::string_view kOriented =
    "as `yolov8`, then an angle in radians: oriented boxes, with their corners as landmarks";
constexpr absl::string_view kEndToEnd =
    "[1,N,6]: x0, y0, x1, y1, score, class; coordinates are divided by `w_scale` and `h_scale`; "
    "`landmarks` follow as in `yolov8`; nothing is suppressed";

constexpr DetectionFormat kFormats[] = {
    {"yolov5", "yolo",
     "decoded lists [1,T,D] (`transposed=1`: [1,D,T]), or raw logits of the pyramid's levels with "
     "`anchors`; D = x, y, w, h, confidence, `landmarks` * (x, y), classes",
     MakeYolov5Decoder},
    {"yolov8", "yolo", kYolov8, MakeYolov8Decoder},
    {"yolov8pose", "yolo", kPose, MakeYolov8Decoder},
    {"yolov8seg", "yolo", kSegmentation, MakeYolov8Decoder},
    {"yolov8obb", "yolo", kOriented, MakeYolov8Decoder},
    {"yolov9", "yolo", "as `yolov8`", MakeYolov8Decoder},
    {"yolov9seg", "yolo", kSegmentation, MakeYolov8Decoder},
    {"yolov10", "yolo", kEndToEnd, MakeEndToEndDecoder, NmsScope::kNone},
    {"yolo11", "yolo", "as `yolov8`", MakeYolov8Decoder},
    {"yolo11pose", "yolo", kPose, MakeYolov8Decoder},
    {"yolo11seg", "yolo", kSegmentation, MakeYolov8Decoder},
    {"yolo11obb", "yolo", kOriented, MakeYolov8Decoder},
    {"yolo26", "yolo", "as `yolov10`", MakeEndToEndDecoder, NmsScope::kNone},
    {"yolo26pose", "yolo",
     "as `yolov10`, with 17 landmarks and `visibility=1` unless they are given",
     MakeEndToEndDecoder, NmsScope::kNone},
    {"yolo26seg", "yolo", "as `yolov10`, then mask coefficients and prototypes as in `yolov8seg`",
     MakeEndToEndDecoder, NmsScope::kNone},
    {"yolo26obb", "yolo", "[1,N,7]: x, y, w, h, score, class, angle; else as `yolov8obb`",
     MakeEndToEndDecoder, NmsScope::kNone},
    {"rtdetr", "rtdetr",
     "[1,N,4+C]: x, y, w, h as parts of the image, activated scores; or logits [1,N,C] and boxes "
     "[1,N,4]; nothing is suppressed",
     MakeDetrDecoder, NmsScope::kNone},
    {"detr", "detr",
     "logits [1,N,C] and boxes [1,N,4] as in `rtdetr`; a softmax whose last class means no object",
     MakeDetrDecoder, NmsScope::kNone},
    {"yolox", "yolo",
     "[1,N,5+C] of strides 8, 16, 32: x, y, w, h of a cell, confidence, classes; the network's "
     "input is `w_scale` x `h_scale`, or square, and `strides=[...]` its strides",
     MakeYoloxDecoder},
    {"nanodet", "nanodet",
     "for each of the strides 8, 16, 32 scores [1,N,C] and distances [1,N,4*(`reg_max`+1)], "
     "reg_max 7 unless given; input and strides as of `yolox`",
     MakeNanodetDecoder},
    {"nanodet_plus", "nanodet",
     "[1,N,C+4*(`reg_max`+1)] of strides 8, 16, 32, 64; else as `nanodet`", MakeNanodetDecoder},
    {"fastestdet", "fastestdet",
     "[1,5+C,H,W] (`transposed=1`: [1,H,W,5+C]) of one grid of cells: confidence, x, y, w, h, "
     "classes",
     MakeFastestdetDecoder},
    {"yunet", "yunet",
     "for each of the strides 8, 16, 32 two scores [1,N,1], boxes [1,N,4] and landmarks [1,N,10], "
     "in any order; input and strides as of `yolox`. Or, in its form of 2021, boxes with landmarks "
     "[1,N,14], scores [1,N,2] and qualities [1,N,1] relative to priors; attributes as of `ssd`",
     MakeYunetDecoder},
    {"scrfd", "scrfd",
     "for each of the strides 8, 16, 32 scores [1,N,1], boxes [1,N,4] and maybe landmarks "
     "[1,N,10], two for each cell, in any order; input and strides as of `yolox`",
     MakeScrfdDecoder},
    {"retinaface", "retinaface",
     "boxes [1,N,4], scores [1,N,2] and maybe landmarks [1,N,10], in any order, relative to "
     "priors of strides 8, 16, 32; attributes as of `ssd`",
     MakePriorBoxesDecoder},
    {"ultraface", "ultraface",
     "scores [1,N,2] and boxes [1,N,4], in any order, relative to priors of strides 8, 16, 32, 64 "
     "over 320x240 pixels; with `decoded=1` x0, y0, x1, y1 as parts of the image; attributes as "
     "of `ssd`",
     MakePriorBoxesDecoder},
    {"ssd", "ssd",
     "boxes [1,N,4] and scores [1,N,C], class 0 the background and not counted, in any order; "
     "priors are `anchors=[x,y,w,h,...]`, or of `min_sizes=[[16,32],...]`, `max_sizes`, "
     "`aspect_ratios` for `strides=[8,...]`, with `even=1` centred in even cells, with `clip=1` "
     "clipped; `variances=[0.1,0.2]`; input as of `yolox`",
     MakePriorBoxesDecoder},
    {"st_ssd", "st_ssd",
     "in this order scores [1,N,C], class 0 the background and not counted, boxes [1,N,4] relative "
     "to the corners of anchors, and these anchors [1,N,4] = x0, y0, x1, y1 as parts of the image",
     MakeStSsdDecoder},
    {"blazeface", "blazeface",
     "logits [1,N,1] and [1,N,4+2*L]: x, y, w, h and landmarks in pixels around a cell's centre, "
     "in any order; MediaPipe's faces and palms",
     MakeBlazefaceDecoder},
    {"retinanet_boxes", "retinanet",
     "boxes [1,N,4] = x0, y0, x1, y1 relative to `anchors`, divided by `w_scale` and `h_scale`, "
     "and scores [1,N,C] (`transposed=1`: [1,4,N], [1,C,N])",
     MakeRetinanetBoxesDecoder},
    {"nms_input", "nms",
     "the inputs of ONNX's NonMaxSuppression: boxes [1,N,4] and activated scores [1,C,N], or "
     "[1,N,C]; each class of a box above the threshold counts, with `best=1` only its best one, "
     "never the class `background`; `box=yxyx` (unless given: y0, x0, y1, x1), `xyxy` or `xywh`; "
     "coordinates are divided by `w_scale` and `h_scale`; suppressed class by class",
     MakeNmsInputDecoder, NmsScope::kClass},
    {"tflite_detection_boxes", "tflite_detection", kTfliteBoxes, MakeTfliteBoxesDecoder},
    {"tflite_detection_input", "tflite_detection", kTfliteBoxes, MakeTfliteBoxesDecoder},
    {"tflite_detection", "tflite_detection",
     "the outputs of TFLite_Detection_PostProcess: boxes [1,M,4] = y0, x0, y1, x1, classes [1,M], "
     "scores [1,M], their number [1]; coordinates are divided by `w_scale` and `h_scale`",
     MakeTfliteDetectionDecoder},
};

}  // namespace

absl::Span<const DetectionFormat> DetectionFormats() { return kFormats; }

const DetectionFormat* FindDetectionFormat(absl::string_view type) {
  for (const DetectionFormat& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

std::vector<std::string> DetectionTypes() {
  std::vector<std::string> types;
  for (const DetectionFormat& format : kFormats) {
    types.emplace_back(format.type);
  }
  return types;
}

}  // namespace synap_internal
