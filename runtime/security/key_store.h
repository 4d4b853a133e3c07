// Keys and vendor certificates that a runtime trusts: the files of one folder.
//
// A board keeps them where programs can't read them; a PC has a folder, which the environment
// variable SYNAP_KEYS names. `*.key` are encryption keys, `*.crt` vendor certificates; other files
// are ignored.
#ifndef RUNTIME_SECURITY_KEY_STORE_H_
#define RUNTIME_SECURITY_KEY_STORE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/security/key_files.h"

namespace synap_internal {

inline constexpr char kKeysVariable[] = "SYNAP_KEYS";

// In a folder of `synap keys`: the keys for a metafile, and the subfolder with those of a runtime.
inline constexpr char kSecurityFile[] = "security.yaml";
inline constexpr char kRuntimeFolder[] = "runtime";

class KeyStore {
 public:
  // Errors name the folder, or the file that can't be read. A certificate that isn't an authority
  // is an error: if it were trusted, its owner could sign models. So is the whole folder of `synap
  // keys`.
  static absl::StatusOr<KeyStore> Open(const std::string& folder);

  // The folder of SYNAP_KEYS. FailedPrecondition if the variable isn't set.
  static absl::StatusOr<KeyStore> OfProcess();

  // FailedPrecondition, naming the folder and what it has instead, if there is none.
  absl::StatusOr<const EncryptionKey*> FindKey(const KeyId& id) const;
  absl::StatusOr<const Certificate*> FindVendor(const Sha256& fingerprint) const;

 private:
  explicit KeyStore(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
  std::vector<EncryptionKey> keys_;
  std::vector<Certificate> vendors_;
};

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_KEY_STORE_H_
