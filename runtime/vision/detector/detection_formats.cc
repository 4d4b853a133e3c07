#include "runtime/vision/detector/detection_formats.h"

#include "runtime/vision/detector/tflite_boxes.h"
#include "runtime/vision/detector/yolo.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kNotYet = "not decoded yet";
constexpr absl::string_view kTfliteBoxes =
    "the inputs of TFLite_Detection_PostProcess: boxes [1,N,4] relative to `anchors` and scores "
    "[1,N,C] (`transposed=1`: [1,4,N], [1,C,N])";

constexpr DetectionFormat kFormats[] = {
    {"yolov5", "yolo",
     "decoded lists [1,T,D] (`transposed=1`: [1,D,T]), or raw logits of the pyramid's levels with "
     "`anchors`; D = x, y, w, h, confidence, `landmarks` * (x, y), classes",
     MakeYolov5Decoder},
    {"yolov8", "yolo",
     "lists [1,D,T] (`transposed=0`: [1,T,D]); D = x, y, w, h, classes, `landmarks` * (x, y)",
     MakeYolov8Decoder},
    {"yolov8seg", "yolo", kNotYet, nullptr},
    {"retinanet_boxes", "retinanet", kNotYet, nullptr},
    {"tflite_detection_boxes", "tflite_detection", kTfliteBoxes, MakeTfliteBoxesDecoder},
    {"tflite_detection_input", "tflite_detection", kTfliteBoxes, MakeTfliteBoxesDecoder},
    {"tflite_detection", "tflite_detection", kNotYet, nullptr},
};

}  // namespace

absl::Span<const DetectionFormat> DetectionFormats() { return kFormats; }

const DetectionFormat* FindDetectionFormat(absl::string_view type) {
  for (const DetectionFormat& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

std::vector<std::string> DecodedDetectionTypes() {
  std::vector<std::string> types;
  for (const DetectionFormat& format : kFormats) {
    if (format.decoded()) types.emplace_back(format.type);
  }
  return types;
}

}  // namespace synap_internal
