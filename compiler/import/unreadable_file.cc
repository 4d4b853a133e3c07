#include "compiler/import/unreadable_file.h"

#include "absl/strings/match.h"

namespace synap_internal {

absl::string_view WhyUnreadable(absl::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  if (absl::StartsWith(bytes, "version https://git-lfs")) {
    return "it is a git-lfs pointer; fetch the file itself with 'git lfs pull'";
  }
  return "";
}

}  // namespace synap_internal
