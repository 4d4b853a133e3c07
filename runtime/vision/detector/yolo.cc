#include "runtime/vision/detector/yolo.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<YoloAttributes> ReadYoloAttributes(const FormatString& format,
                                                  const DetectionSettings& settings) {
  YoloAttributes attributes;
  attributes.settings = settings;
  ASSIGN_OR_RETURN(attributes.landmarks, ReadLandmarks(format, 0));
  ASSIGN_OR_RETURN(attributes.input, ReadInputSize(format));
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
