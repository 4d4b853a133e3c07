#include "runtime/vision/detector/decoder.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

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

absl::StatusOr<NmsScope> ReadNmsScope(const FormatString& format) {
  if (!format.Has("nms")) {
    const DetectionFormat* known = FindDetectionFormat(format.type());
    return known == nullptr ? NmsScope::kAny : known->nms;
  }
  const std::string word = format.Get("nms");
  if (word == "any") return NmsScope::kAny;
  if (word == "class") return NmsScope::kClass;
  if (word == "none") return NmsScope::kNone;
  return absl::InvalidArgumentError(absl::StrCat("format attribute 'nms' is '", word.substr(0, 60),
                                                 "', expected any, class or none"));
}

}  // namespace

void DetectionDecoder::Describe(const DetectionInput&, const DetectedBox&,
                                DetectionDetails*) const {}

absl::StatusOr<FormatSuppression> ReadSuppression(absl::Span<const DetectionTensor> tensors) {
  const FormatString format = FormatString::Parse(tensors[0].format);
  FormatSuppression result;
  ASSIGN_OR_RETURN(result.scope, ReadNmsScope(format));
  if (format.Has("iou_threshold")) {
    ASSIGN_OR_RETURN(const float threshold, format.Float("iou_threshold", 0));
    if (!(threshold >= 0 && threshold <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("format attribute 'iou_threshold' is ", threshold, ", expected 0 to 1"));
    }
    result.iou_threshold = threshold;
  }
  ASSIGN_OR_RETURN(result.max_per_class, format.Int("max_per_class", 0));
  if (result.max_per_class >= 0) return result;
  return absl::InvalidArgumentError(absl::StrCat("format attribute 'max_per_class' is ",
                                                 result.max_per_class,
                                                 ", expected 0 or a positive number"));
}

absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, float score_threshold) {
  if (tensors.empty()) return absl::InvalidArgumentError("no output tensors, expected at least 1");
  RETURN_IF_ERROR(CheckShapes(tensors));
  const FormatString format = FormatString::Parse(tensors[0].format);
  const DetectionFormat* known = FindDetectionFormat(format.type());
  if (known == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("Unknown object detection format: '",
                                                   format.type(), "', expected one of ",
                                                   absl::StrJoin(DetectionTypes(), ", ")));
  }
  RETURN_IF_ERROR(ReadSuppression(tensors).status());
  ASSIGN_OR_RETURN(const float least, format.Float("score_threshold", score_threshold));
  DetectionSettings settings = {.score_threshold = std::max(score_threshold, least)};
  ASSIGN_OR_RETURN(settings.class_index_base, ClassIndexBase(tensors));
  return known->make(tensors, format, settings);
}

}  // namespace synap_internal
