// Encrypted form of a program: AES-256-GCM with a nonce that follows from key and content.
//
//   offset  bytes
//        0      8  "SYNAPENC"
//        8      4  version, 1
//       12     12  nonce
//       24     16  id of the encryption key
//       40     16  tag of GCM
//       56      8  zeros
//       64      n  ciphertext, as long as the program
//
// Bytes 0 to 39 are authenticated with the ciphertext. docs/security.md says why the nonce is
// sound.
#ifndef RUNTIME_SECURITY_ENCRYPTED_PROGRAM_H_
#define RUNTIME_SECURITY_ENCRYPTED_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/security/key_files.h"

namespace synap_internal {

// Bytes before the ciphertext.
inline constexpr size_t kEncryptedHeaderBytes = 64;

// Whether the bytes begin as an encrypted program does.
bool IsEncryptedProgram(absl::Span<const uint8_t> bytes);

// The encrypted form: a pure function of both.
std::string EncryptProgram(absl::Span<const uint8_t> program, const EncryptionKey& key);

// Id of the key that decrypts. InvalidArgument unless the header is whole and as above.
absl::StatusOr<KeyId> KeyIdOf(absl::Span<const uint8_t> encrypted);

// A decrypted program at a multiple of 64 bytes, wiped with the last reference to `memory`.
struct DecryptedProgram {
  std::shared_ptr<const void> memory;
  absl::Span<const uint8_t> bytes;
};

// InvalidArgument as KeyIdOf; PermissionDenied for another key or changed bytes; ResourceExhausted
// without memory.
absl::StatusOr<DecryptedProgram> DecryptProgram(absl::Span<const uint8_t> encrypted,
                                                const EncryptionKey& key);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_ENCRYPTED_PROGRAM_H_
