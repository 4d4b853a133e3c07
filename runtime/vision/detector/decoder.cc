#include "runtime/vision/detector/decoder.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {
namespace {

absl::Status CheckShapes(absl::Span<const DetectionTensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Shape& shape = tensors[i].shape;
    RETURN_IF_ERROR(shape.Validate());
    if (shape.elements() > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("output ", i, ": its shape is ",
                                                   shape.ToString(),
                                                   ", which has no values, expected at least one"));
  }
  return absl::OkStatus();
}

}  // namespace

void DetectionDecoder::Describe(const DetectionInput&, const DetectedBox&,
                                DetectionDetails*) const {}

absl::StatusOr<int> ReadClassIndexBase(absl::Span<const DetectionTensor> tensors) {
  int base = 0;
  for (const DetectionTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(base, ParseDetectionOptions(tensor.format).class_index_base.value_or(base));
  }
  constexpr int kLimit = 1'000'000;
  if (base < -kLimit || base > kLimit) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute 'class_index_base' is ", base,
                                                   ", expected ", -kLimit, " to ", kLimit));
  }
  return base;
}

absl::StatusOr<FormatSuppression> ReadSuppression(absl::Span<const DetectionTensor> tensors) {
  const DetectionOptions options = ParseDetectionOptions(tensors[0].format);
  const DetectionFormat* known = FindDetectionFormat(options.type);
  FormatSuppression result;
  ASSIGN_OR_RETURN(result.scope,
                   options.nms.value_or(known == nullptr ? NmsScope::kAny : known->nms));
  if (options.iou_threshold.has_value()) {
    ASSIGN_OR_RETURN(result.iou_threshold, *options.iou_threshold);
  }
  ASSIGN_OR_RETURN(result.max_per_class, options.max_per_class.value_or(0));
  return result;
}

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, float score_threshold) {
  if (tensors.empty()) return absl::InvalidArgumentError("no output tensors, expected at least 1");
  RETURN_IF_ERROR(CheckShapes(tensors));
  DetectionOptions options = ParseDetectionOptions(tensors[0].format);
  const DetectionFormat* known = FindDetectionFormat(options.type);
  if (known == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("Unknown object detection format: '",
                                                   options.type, "', expected one of ",
                                                   absl::StrJoin(DetectionTypes(), ", ")));
  }
  RETURN_IF_ERROR(ReadSuppression(tensors).status());
  ASSIGN_OR_RETURN(const float least, options.score_threshold.value_or(score_threshold));
  options.settings.score_threshold = std::max(score_threshold, least);
  ASSIGN_OR_RETURN(options.settings.class_index_base, ReadClassIndexBase(tensors));
  return known->make(tensors, options);
}

}  // namespace synap_internal
