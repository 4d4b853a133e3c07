// Keys and certificates of secure models, as users keep them in files. docs/security.md describes
// the files; tools make them (make_keys.h).
//
// Parse functions return InvalidArgument that says what was expected instead; Load functions read a
// file and name it in their errors. Certificates have no times here: see CheckIssued.
#ifndef RUNTIME_SECURITY_KEY_FILES_H_
#define RUNTIME_SECURITY_KEY_FILES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/security/secret_bytes.h"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY
struct x509_st;      // OpenSSL's X509

namespace synap_internal {

using Sha256 = std::array<uint8_t, 32>;
using KeyId = std::array<uint8_t, 16>;

// Bits of the RSA keys that are accepted, in signature keys and in certificates.
inline constexpr int kMinRsaBits = 2048;
inline constexpr int kMaxRsaBits = 4096;

// Key of AES-256. Movable.
class EncryptionKey {
 public:
  static constexpr size_t kBytes = 32;

  // REQUIRES: kBytes of them.
  explicit EncryptionKey(SecretBytes bytes);

  // Names the key without telling anything about it: the first bytes of an HMAC under the key.
  const KeyId& id() const { return id_; }
  absl::Span<const uint8_t> bytes() const { return bytes_.span(); }
  // HMAC-SHA-256 under the key: keys for one purpose each.
  SecretBytes Derive(absl::string_view purpose) const;

 private:
  SecretBytes bytes_;
  KeyId id_;
};

// 64 hexadecimal digits, blanks around them ignored.
absl::StatusOr<EncryptionKey> ParseEncryptionKey(absl::string_view text);
absl::StatusOr<EncryptionKey> LoadEncryptionKey(const std::string& path);

// RSA private key. OpenSSL wipes it with the last copy.
struct SignatureKey {
  std::shared_ptr<evp_pkey_st> key;
};

// PEM without a passphrase: PKCS #8 or PKCS #1.
absl::StatusOr<SignatureKey> ParseSignatureKey(absl::string_view pem);
absl::StatusOr<SignatureKey> LoadSignatureKey(const std::string& path);

// X.509 certificate of an RSA public key.
class Certificate {
 public:
  explicit Certificate(std::shared_ptr<x509_st> x509) : x509_(std::move(x509)) {}

  x509_st* x509() const { return x509_.get(); }
  // SHA-256 of the DER form.
  Sha256 Fingerprint() const;
  std::string Der() const;
  // "CN = Example vendor".
  std::string Subject() const;
  // Whether it may certify keys that sign models: the basic constraint CA, and no keyUsage or
  // extendedKeyUsage that leaves out keyCertSign or codeSigning.
  bool IsAuthority() const;
  // Whether its key may sign models: no keyUsage or extendedKeyUsage that leaves out
  // digitalSignature or codeSigning.
  bool MaySignModels() const;

 private:
  std::shared_ptr<x509_st> x509_;
};

// One PEM certificate; text around it is ignored, as OpenSSL does.
absl::StatusOr<Certificate> ParseCertificate(absl::string_view pem);
absl::StatusOr<Certificate> LoadCertificate(const std::string& path);
// The DER form, to its last byte.
absl::StatusOr<Certificate> ParseCertificateDer(absl::Span<const uint8_t> der);

// Checks that `vendor` is an authority and has signed `model`, which may sign models, with SHA-256
// and RSA keys of at least 2048 bits or better. The times in both are not read: a board may have no
// clock, and an attacker with the board can set it. PermissionDenied otherwise.
absl::Status CheckIssued(const Certificate& model, const Certificate& vendor);

// "every user of the machine may read ...", for a key's file whose mode lets them read or write it;
// "" for others, and for one whose mode can't be told.
std::string WhyExposed(const std::string& path);

// "9f86d081884c7d65": digits that people compare, of the first bytes.
std::string ShortDigits(absl::Span<const uint8_t> bytes);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_KEY_FILES_H_
