#include "runtime/security/key_store.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/security/key_text.h"

namespace synap_internal {
namespace {

constexpr char kKeySuffix[] = ".key";
constexpr char kCertificateSuffix[] = ".crt";

// Paths of what is in the folder, in sorted order. Not by std::filesystem, some of whose functions
// end the process for want of memory.
absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  while (directory != nullptr) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr) break;
    files.push_back(JoinPath(folder, entry->d_name));
  }
  if (errno != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        LooksLikeKey(folder) ? absl::StrCat(kKeysVariable, " (a key)") : folder,
        ": can't list the folder of keys: ", std::strerror(errno), "; expected one with vendor ",
        "certificates (*", kCertificateSuffix, ") and encryption keys (*", kKeySuffix, ")"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A folder of `synap keys` has more than a runtime may know; that of a runtime is in it.
absl::Status CheckIsRuntimes(const std::string& folder) {
  const std::string runtimes = JoinPath(folder, kRuntimeFolder);
  struct stat info;
  const bool is_of_conversions = stat(JoinPath(folder, kSecurityFile).c_str(), &info) == 0 &&
                                 stat(runtimes.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (!is_of_conversions) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(folder, ": has the keys of conversions, expected those of a runtime; set ",
                   kKeysVariable, " to ", runtimes));
}

// "none", "9f86d081884c7d65, 60303ae22b998861".
std::string List(std::vector<std::string> digits) {
  return digits.empty() ? "none" : absl::StrJoin(digits, ", ");
}

}  // namespace

absl::StatusOr<KeyStore> KeyStore::Open(const std::string& folder) {
  RETURN_IF_ERROR(CheckIsRuntimes(folder));
  KeyStore store(folder);
  ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(folder));
  for (const std::string& file : files) {
    if (absl::EndsWith(file, kKeySuffix)) {
      ASSIGN_OR_RETURN(EncryptionKey key, LoadEncryptionKey(file));
      if (const std::string exposed = WhyExposed(file); !exposed.empty()) {
        SYNAP_LOG(kWarning, file, ": ", exposed);
      }
      store.keys_.push_back(std::move(key));
    } else if (absl::EndsWith(file, kCertificateSuffix)) {
      ASSIGN_OR_RETURN(Certificate vendor, LoadCertificate(file));
      if (!vendor.IsAuthority()) {
        return absl::FailedPreconditionError(
            absl::StrCat(file, ": the certificate (", vendor.Subject(), ") is no vendor's, ",
                         "expected one that may certify others for signing code; remove it from ",
                         "the folder"));
      }
      store.vendors_.push_back(std::move(vendor));
    }
  }
  return store;
}

absl::StatusOr<KeyStore> KeyStore::OfProcess() {
  const char* const folder = std::getenv(kKeysVariable);
  if (folder != nullptr && *folder != '\0') return Open(folder);
  return absl::FailedPreconditionError(absl::StrCat(
      "the model is secure, but ", kKeysVariable, " isn't set; set it to a folder with the vendor ",
      "certificate (*", kCertificateSuffix, ") and the encryption key (*", kKeySuffix, ")"));
}

absl::StatusOr<const EncryptionKey*> KeyStore::FindKey(const KeyId& id) const {
  std::vector<std::string> found;
  for (const EncryptionKey& key : keys_) {
    if (key.id() == id) return &key;
    found.push_back(ShortDigits(key.id()));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(folder_, ": no *", kKeySuffix, " has the id ", ShortDigits(id),
                   " that the model is encrypted with (found: ", List(std::move(found)),
                   "); add the model's encryption key"));
}

absl::StatusOr<const Certificate*> KeyStore::FindVendor(const Sha256& fingerprint) const {
  std::vector<std::string> found;
  for (const Certificate& vendor : vendors_) {
    if (vendor.Fingerprint() == fingerprint) return &vendor;
    found.push_back(ShortDigits(vendor.Fingerprint()));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      folder_, ": no *", kCertificateSuffix, " has the SHA-256 ", ShortDigits(fingerprint),
      " of the model's vendor certificate (found: ", List(std::move(found)),
      "); add that certificate if you trust the vendor"));
}

}  // namespace synap_internal
