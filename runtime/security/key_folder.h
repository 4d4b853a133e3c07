// Folder with all keys and certificates of secure models, for conversions and for runtimes.
#ifndef RUNTIME_SECURITY_KEY_FOLDER_H_
#define RUNTIME_SECURITY_KEY_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/security/seal.h"

namespace synap_internal {

struct KeyFolderOptions {
  std::string vendor_name = "SyNAP model vendor";
  std::string model_name = "SyNAP models";
  // An existing vendor's private key and certificate; empty: a new vendor.
  std::string vendor_key, vendor_certificate;
  int bits = 3072;  // of RSA keys
};

// Makes `folder`, which must not exist and which, like each key in it, only its owner may read,
// with
//   security.yaml   names the next four for a metafile's `security: {file: ...}`
//   encryption.key, signature.pem, model.crt, vendor.crt
//   vendor.pem      private key of a new vendor, which no conversion needs
//   runtime/        what a runtime needs: encryption.key, vendor.crt
// AlreadyExists if the folder exists; else errors name the file.
absl::Status WriteKeyFolder(const std::string& folder, const KeyFolderOptions& options);

// The files that a model is sealed with.
SealKeyFiles SealKeyFilesIn(const std::string& folder);

// The subfolder for SYNAP_KEYS.
std::string RuntimeKeysIn(const std::string& folder);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_KEY_FOLDER_H_
