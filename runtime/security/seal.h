// Seal of a secure model: the certificate of who made it, and a signature of all of its files.
//
//   offset  bytes
//        0      8  "SYNPSEAL"
//        8      4  version, 1
//       12     32  SHA-256 of the vendor certificate
//       44      4  m, the size of the model certificate
//       48      m  model certificate, X.509 in DER
//     48+m      4  s, the size of the signature
//     52+m      s  RSA-PSS signature with SHA-256, MGF1 with SHA-256, and a salt of 0 bytes
//
// The signed text is "synap model 1", a zero byte, bytes 0 to 48+m-1 of the seal, the number of
// files (4 bytes), and of each file, sorted by name: size of the name (4 bytes), name, size of the
// content (8 bytes), SHA-256 of the content.
#ifndef RUNTIME_SECURITY_SEAL_H_
#define RUNTIME_SECURITY_SEAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/security/key_files.h"
#include "runtime/security/key_store.h"

namespace synap_internal {

// Keys that a model is made with, checked against each other.
struct SealKeys {
  EncryptionKey encryption;
  SignatureKey signature;  // of `model`
  Certificate model;       // issued by `vendor`
  Certificate vendor;
};

struct SealKeyFiles {
  std::string encryption_key, signature_key, model_certificate, vendor_certificate;
};

// Errors name the file: one that can't be read, a signature key that isn't the model certificate's,
// a model certificate that the vendor didn't issue.
absl::StatusOr<SealKeys> LoadSealKeys(const SealKeyFiles& files);

struct SealedFile {
  std::string name;
  absl::Span<const uint8_t> content;
};

// A pure function of its arguments. REQUIRES: names differ.
std::string MakeSeal(std::vector<SealedFile> files, const SealKeys& keys);

// Whether the bytes begin as a seal does.
bool IsSeal(absl::Span<const uint8_t> bytes);

// Parts of a seal; they refer to its bytes.
struct SealParts {
  Sha256 vendor = {};
  absl::Span<const uint8_t> certificate, signature, signed_head;
  size_t size = 0;  // of the whole seal
};

// InvalidArgument unless `bytes` begins with a whole seal of this version.
absl::StatusOr<SealParts> ParseSeal(absl::Span<const uint8_t> bytes);

// Checks that `trusted` has the vendor, that it issued the seal's certificate, and that its
// signature is that of exactly these files. InvalidArgument for a damaged seal, FailedPrecondition
// without the vendor, PermissionDenied otherwise. Nothing is known about the files before.
absl::Status VerifySeal(absl::Span<const uint8_t> seal, std::vector<SealedFile> files,
                        const KeyStore& trusted);

// Lines for people: who signed, and with which vendor.
absl::StatusOr<std::string> SealText(absl::Span<const uint8_t> seal);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_SEAL_H_
