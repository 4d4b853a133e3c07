// Format types of object detectors' outputs: the first word of their format strings.
#ifndef RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
#define RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_

#include <array>

#include "absl/strings/string_view.h"

namespace synap_internal {

enum class DetectionDecoding {
  kYolov5,       // yolo.h
  kYolov8,       // yolo.h
  kTfliteBoxes,  // tflite_boxes.h
  kNotYet,       // known from other toolkits, not decoded here
};

struct DetectionFormat {
  absl::string_view type;
  DetectionDecoding decoding;
};

// All format types, for MakeDetectionDecoder and for the compiler's warnings.
inline constexpr std::array kDetectionFormats = {
    DetectionFormat{"yolov5", DetectionDecoding::kYolov5},
    DetectionFormat{"yolov8", DetectionDecoding::kYolov8},
    DetectionFormat{"yolov8seg", DetectionDecoding::kNotYet},
    DetectionFormat{"retinanet_boxes", DetectionDecoding::kNotYet},
    DetectionFormat{"tflite_detection_boxes", DetectionDecoding::kTfliteBoxes},
    DetectionFormat{"tflite_detection_input", DetectionDecoding::kTfliteBoxes},
    DetectionFormat{"tflite_detection", DetectionDecoding::kNotYet},
};

// The format of that type (case matters), or null.
inline const DetectionFormat* FindDetectionFormat(absl::string_view type) {
  for (const DetectionFormat& format : kDetectionFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DETECTION_FORMATS_H_
