#include "runtime/vision/detector/yolo.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::StatusOr<float> Scale(const FormatString& format, absl::string_view key) {
  ASSIGN_OR_RETURN(const float scale, format.Float(key, 0));
  if (scale < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute '", key, "' is ", scale, ", expected a positive number"));
  }
  return scale == 0 ? 1 : scale;  // 0 is the documented default: no scaling
}

}  // namespace

absl::StatusOr<YoloAttributes> ReadYoloAttributes(const FormatString& format,
                                                  const DetectionSettings& settings) {
  YoloAttributes attributes;
  attributes.settings = settings;
  ASSIGN_OR_RETURN(attributes.landmarks, format.Int("landmarks", 0));
  if (attributes.landmarks < 0 || attributes.landmarks > 10000) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'landmarks' is ",
                                                   attributes.landmarks, ", expected 0 to 10000"));
  }
  ASSIGN_OR_RETURN(attributes.w_scale, Scale(format, "w_scale"));
  ASSIGN_OR_RETURN(attributes.h_scale, Scale(format, "h_scale"));
  return attributes;
}

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5Decoder(
    absl::Span<const DetectionTensor> tensors, const FormatString& format,
    const DetectionSettings& settings) {
  ASSIGN_OR_RETURN(const YoloAttributes attributes, ReadYoloAttributes(format, settings));
  return tensors[0].shape.rank() <= 3 ? MakeYolov5ListDecoder(tensors, format, attributes)
                                      : MakeYolov5PyramidDecoder(tensors, format, attributes);
}

}  // namespace synap_internal
