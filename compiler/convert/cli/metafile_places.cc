#include "compiler/convert/cli/metafile_places.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/digest.h"

namespace synap_internal {
namespace {

// Stands for the path, with the digest of the text after it. No path begins with it.
constexpr char kMark[] = "\1";

}  // namespace

MetafilePlaces::MetafilePlaces(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  digest_ = DigestOfFile(path_).value_or(Digest(""));
}

Warning MetafilePlaces::Detach(Warning warning) const {
  if (!path_.empty() && warning.place.file == path_) {
    warning.place.file = absl::StrCat(kMark, digest_);
  }
  return warning;
}

Warning MetafilePlaces::Attach(Warning warning) const {
  absl::string_view digest = warning.place.file;
  if (!absl::ConsumePrefix(&digest, kMark)) return warning;
  if (digest != digest_) warning.place.line = warning.place.column = 0;
  warning.place.file = path_;
  return warning;
}

}  // namespace synap_internal
