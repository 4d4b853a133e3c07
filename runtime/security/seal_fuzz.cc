#include "runtime/security/seal.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/key_files.h"

namespace {

using synap_internal::EncryptionKey;

const EncryptionKey& Key() {
  static const auto* const key =
      new EncryptionKey(*synap_internal::ParseEncryptionKey(std::string(64, '1')));
  return *key;
}

void CheckSeal(absl::Span<const uint8_t> bytes) {
  const absl::StatusOr<synap_internal::SealParts> parts = synap_internal::ParseSeal(bytes);
  if (!parts.ok()) return;
  CHECK(parts->size <= bytes.size());
  CHECK(parts->signed_head.size() + 4 + parts->signature.size() == parts->size);
  // A certificate of anybody: only OpenSSL's readers run, no signature is checked.
  (void)synap_internal::SealText(bytes);
}

}  // namespace

// What is read of a secure model before a signature vouches for it, and what a signer may have
// signed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> bytes(data, size);
  CheckSeal(bytes);
  (void)synap_internal::DecryptProgram(bytes, Key());
  const std::string encrypted = synap_internal::EncryptProgram(bytes, Key());
  const auto program = synap_internal::DecryptProgram(synap_internal::AsBytes(encrypted), Key());
  CHECK(program.ok() && program->bytes == bytes);
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)synap_internal::ParseEncryptionKey(text);
  (void)synap_internal::ParseSignatureKey(text);
  (void)synap_internal::ParseCertificate(text);
  return 0;
}
