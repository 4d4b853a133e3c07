#include "runtime/vision/picture_format.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kKeepProportions = "keep_proportions";
constexpr absl::string_view kFillColor = "fill_color";

bool BeginsWithBgr(const FormatString& format) { return absl::StartsWith(format.type(), "bgr"); }

absl::StatusOr<LetterboxOptions> ReadLetterbox(const FormatString& format) {
  LetterboxOptions options;
  ASSIGN_OR_RETURN(const int keep, format.Int(kKeepProportions, 1));
  if (keep < 0 || keep > 2) {
    return absl::InvalidArgumentError(absl::StrCat("format attribute '", kKeepProportions, "' is ",
                                                   keep, ", expected 0, 1 or 2"));
  }
  options.keep_proportions = static_cast<KeepProportions>(keep);
  ASSIGN_OR_RETURN(const int fill, format.Int(kFillColor, 128));
  if (fill < 0 || fill > 255) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute '", kFillColor, "' is ", fill, ", expected 0 to 255"));
  }
  options.fill_color = static_cast<uint8_t>(fill);
  return options;
}

}  // namespace

PictureFormat ParsePictureFormat(absl::string_view text) {
  const FormatString format = FormatString::Parse(text);
  return {format.type(), BeginsWithBgr(format), format.Has(kKeepProportions),
          ReadLetterbox(format)};
}

std::string SamplingFormat(absl::string_view text) {
  const FormatString format = FormatString::Parse(text);
  std::vector<std::string> words;
  if (BeginsWithBgr(format)) words.push_back("bgr");
  for (const absl::string_view key : {kKeepProportions, kFillColor}) {
    if (format.Has(key)) words.push_back(absl::StrCat(key, "=", format.Get(key)));
  }
  return absl::StrJoin(words, " ");
}

}  // namespace synap_internal
