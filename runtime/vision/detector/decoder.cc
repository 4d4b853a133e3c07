#include "runtime/vision/detector/decoder.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/detector/tflite_boxes.h"
#include "runtime/vision/detector/yolo.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

// The format types, for messages.
std::string KnownTypes() {
  return absl::StrJoin(
      kDetectionFormats, ", ",
      [](std::string* out, const DetectionFormat& format) { absl::StrAppend(out, format.type); });
}

// The last tensor that has the attribute determines it.
absl::StatusOr<int> ClassIndexBase(absl::Span<const DetectionTensor> tensors) {
  int base = 0;
  for (const DetectionTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(base, FormatString::Parse(tensor.format).Int("class_index_base", base));
  }
  constexpr int kLimit = 1'000'000;
  if (base < -kLimit || base > kLimit) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'class_index_base' is ", base,
                                                   ", expected ", -kLimit, " to ", kLimit));
  }
  return base;
}

absl::StatusOr<float> Scale(const FormatString& format, absl::string_view key) {
  ASSIGN_OR_RETURN(const float scale, format.Float(key, 0));
  if (scale < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute '", key, "' is ", scale, ", expected a positive number"));
  }
  return scale == 0 ? 1 : scale;  // 0 is the documented default: no scaling
}

absl::StatusOr<YoloAttributes> ReadAttributes(absl::Span<const DetectionTensor> tensors,
                                              const FormatString& format) {
  YoloAttributes attributes;
  ASSIGN_OR_RETURN(attributes.landmarks, format.Int("landmarks", 0));
  if (attributes.landmarks < 0 || attributes.landmarks > 10000) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'landmarks' is ",
                                                   attributes.landmarks, ", expected 0 to 10000"));
  }
  ASSIGN_OR_RETURN(attributes.w_scale, Scale(format, "w_scale"));
  ASSIGN_OR_RETURN(attributes.h_scale, Scale(format, "h_scale"));
  ASSIGN_OR_RETURN(attributes.class_index_base, ClassIndexBase(tensors));
  return attributes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, float score_threshold) {
  if (tensors.empty()) return absl::InvalidArgumentError("no output tensors, expected at least 1");
  for (const DetectionTensor& tensor : tensors) RETURN_IF_ERROR(tensor.shape.Validate());
  const FormatString format = FormatString::Parse(tensors[0].format);
  const DetectionFormat* known = FindDetectionFormat(format.type());
  if (known == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Unknown object detection format: '", format.type(), "', expected one of ", KnownTypes()));
  }
  if (known->decoding == DetectionDecoding::kNotYet) {
    return absl::UnimplementedError(
        absl::StrCat("object detection format '", format.type(), "' is not supported yet"));
  }
  if (known->decoding == DetectionDecoding::kTfliteBoxes) {
    ASSIGN_OR_RETURN(const int class_index_base, ClassIndexBase(tensors));
    return MakeTfliteBoxesDecoder(tensors, format, class_index_base, score_threshold);
  }
  ASSIGN_OR_RETURN(YoloAttributes attributes, ReadAttributes(tensors, format));
  attributes.score_threshold = score_threshold;
  if (known->decoding == DetectionDecoding::kYolov8) {
    return MakeYolov8Decoder(tensors, format, attributes);
  }
  return tensors[0].shape.rank() <= 3 ? MakeYolov5ListDecoder(tensors, format, attributes)
                                      : MakeYolov5PyramidDecoder(tensors, format, attributes);
}

}  // namespace synap_internal
