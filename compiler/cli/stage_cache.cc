#include "compiler/cli/stage_cache.h"

#include <openssl/evp.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/package/model_info.h"

namespace synap {
namespace {

constexpr size_t kDigestCharacters = 64;

}  // namespace

std::string StageCache::Digest(absl::string_view part) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_Digest(part.data(), part.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

std::string StageCache::FileOf(absl::string_view stage, const std::vector<std::string>& key) const {
  std::string digests = absl::StrCat(stage, " ", kVersion);
  for (const std::string& part : key) absl::StrAppend(&digests, " ", Digest(part));
  return JoinPath(folder_, absl::StrCat(Digest(digests), ".", stage));
}

absl::StatusOr<std::string> StageCache::Read(const std::string& file) const {
  ASSIGN_OR_RETURN(std::string stored, ReadFile(file));
  if (stored.size() < kDigestCharacters) return absl::NotFoundError("damaged");
  std::string content = stored.substr(kDigestCharacters);
  if (Digest(content) != stored.substr(0, kDigestCharacters)) return absl::NotFoundError("damaged");
  return content;
}

absl::Status StageCache::Write(const std::string& file, absl::string_view content) const {
  RETURN_IF_ERROR(CreateDirectories(folder_));
  return WriteFileAtomically(file, absl::StrCat(Digest(content), content));
}

}  // namespace synap
