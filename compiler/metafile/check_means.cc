#include "compiler/metafile/check_means.h"

#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::Status CheckMeans(const Metafile& metafile, size_t input, absl::string_view tensor,
                        int64_t channels) {
  if (input >= metafile.inputs.size()) return absl::OkStatus();
  const InputSpec& spec = metafile.inputs[input];
  const auto given = static_cast<int64_t>(spec.means.size());
  if (given <= 1 || given == channels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      metafile.Where(spec.location), ": inputs[", input, "].means: found ", given,
      " values, expected 1", channels == 1 ? "" : absl::StrCat(" or ", channels), ": input '",
      tensor, "' has ", channels, channels == 1 ? " channel" : " channels"));
}

}  // namespace synap_internal
