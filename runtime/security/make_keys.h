// Makes the keys and certificates of secure models.
#ifndef RUNTIME_SECURITY_MAKE_KEYS_H_
#define RUNTIME_SECURITY_MAKE_KEYS_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/security/key_files.h"

namespace synap_internal {

// Who certifies models: a private key and its self-signed certificate.
struct Vendor {
  SignatureKey key;
  Certificate certificate;
};

// Errors name the file: one that can't be read, a certificate that is no authority or of another
// key.
absl::StatusOr<Vendor> LoadVendor(const std::string& key_file, const std::string& certificate_file);

// `name`: the subject's common name, 1 to 64 characters. `bits`: of the RSA key. Errors:
// InvalidArgument for another name.
absl::StatusOr<Vendor> MakeVendor(const std::string& name, int bits);

// A signature key and its certificate, issued by the vendor.
struct ModelSigner {
  SignatureKey key;
  Certificate certificate;
};
absl::StatusOr<ModelSigner> MakeSigner(const std::string& name, int bits, const Vendor& vendor);

// Texts of files, as key_files.h reads them.
std::string SignatureKeyFile(const SignatureKey& key);
std::string CertificateFile(const Certificate& certificate);
// Of a new random key.
std::string MakeEncryptionKeyFile();

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_MAKE_KEYS_H_
