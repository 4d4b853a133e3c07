#include "compiler/cli/metafile_places.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/cli/digest.h"

namespace synap_internal {
namespace {

// Stands for the path, with the digest of the text behind it. No path begins with it.
constexpr char kMark[] = "\1";
constexpr size_t kDigestCharacters = 64;

// Takes ":<number>" off the front of `text`.
bool ConsumeNumber(absl::string_view& text) {
  size_t end = 1;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  if (end == 1 || text[0] != ':') return false;
  text.remove_prefix(end);
  return true;
}

}  // namespace

MetafilePlaces::MetafilePlaces(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  digest_ = DigestOfFile(path_).value_or(Digest(""));
}

std::string MetafilePlaces::Detach(const std::string& sentence) const {
  absl::string_view rest = sentence;
  const bool is_about =
      !path_.empty() && absl::ConsumePrefix(&rest, path_) && absl::StartsWith(rest, ":");
  return is_about ? absl::StrCat(kMark, digest_, rest) : sentence;
}

std::string MetafilePlaces::Attach(const std::string& sentence) const {
  absl::string_view rest = sentence;
  if (!absl::ConsumePrefix(&rest, kMark) || rest.size() < kDigestCharacters) return sentence;
  const bool is_same = rest.substr(0, kDigestCharacters) == digest_;
  rest.remove_prefix(kDigestCharacters);
  if (!is_same && ConsumeNumber(rest)) ConsumeNumber(rest);
  return absl::StrCat(path_, rest);
}

}  // namespace synap_internal
