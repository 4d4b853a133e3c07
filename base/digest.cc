#include "base/digest.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap_internal {

std::string Digest(absl::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

absl::StatusOr<std::string> DigestOfFile(const std::string& path) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return Digest({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

}  // namespace synap_internal
