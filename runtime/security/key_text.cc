#include "runtime/security/key_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace synap_internal {
namespace {

constexpr size_t kLeastDigits = 32;  // of 128 bits
constexpr size_t kLeastBase64 = 24;  // of 128 bits, too

bool IsBase64(char c) { return absl::ascii_isalnum(c) || c == '+' || c == '/' || c == '='; }

}  // namespace

bool LooksLikeKey(absl::string_view path) {
  path = absl::StripAsciiWhitespace(path);
  if (absl::StrContains(path, "-----BEGIN") || absl::StrContains(path, '\n')) return true;
  if (absl::EndsWith(path, "=") && path.size() >= kLeastBase64 &&
      std::all_of(path.begin(), path.end(), IsBase64)) {
    return true;
  }
  const absl::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name.size() >= kLeastDigits && std::all_of(name.begin(), name.end(), absl::ascii_isxdigit);
}

}  // namespace synap_internal
