#include "runtime/vision/detector/format_attributes.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::Status NotPositive(absl::string_view key, float value) {
  return absl::InvalidArgumentError(
      absl::StrCat("format attribute '", key, "' is ", value, ", expected a positive number"));
}

absl::StatusOr<float> Scale(const FormatString& format, absl::string_view key) {
  ASSIGN_OR_RETURN(const float scale, format.Float(key, 0));
  if (scale < 0) return NotPositive(key, scale);
  return scale == 0 ? 1 : scale;  // 0 is the documented default: no scaling
}

}  // namespace

absl::StatusOr<InputSize> ReadInputSize(const FormatString& format) {
  InputSize size;
  ASSIGN_OR_RETURN(size.width, Scale(format, "w_scale"));
  ASSIGN_OR_RETURN(size.height, Scale(format, "h_scale"));
  return size;
}

absl::StatusOr<float> PositiveAttribute(const FormatString& format, absl::string_view key,
                                        float fallback) {
  ASSIGN_OR_RETURN(const float value, format.Float(key, fallback));
  if (value > 0) return value;
  return NotPositive(key, value);
}

absl::StatusOr<std::vector<float>> ReadAnchors(const FormatString& format, int64_t count) {
  ASSIGN_OR_RETURN(std::vector<float> anchors, format.Floats("anchors"));
  if (static_cast<int64_t>(anchors.size()) == 4 * count) return anchors;
  return absl::InvalidArgumentError(absl::StrCat("format attribute 'anchors' has ", anchors.size(),
                                                 " numbers, expected 4 for each of ", count,
                                                 " boxes"));
}

absl::StatusOr<int> ReadLandmarks(const FormatString& format, int fallback) {
  ASSIGN_OR_RETURN(const int landmarks, format.Int("landmarks", fallback));
  if (landmarks >= 0 && landmarks <= 10000) return landmarks;
  return absl::InvalidArgumentError(
      absl::StrCat("format attribute 'landmarks' is ", landmarks, ", expected 0 to 10000"));
}

}  // namespace synap_internal
