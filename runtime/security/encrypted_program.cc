#include "runtime/security/encrypted_program.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/aligned_memory.h"
#include "base/available_memory.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/security/openssl_memory.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kProgramMagic = "SYNAPENC";
constexpr uint8_t kProgramVersion = 1;
constexpr size_t kNonceAt = 12, kNonceBytes = 12;
constexpr size_t kKeyIdAt = 24;
constexpr size_t kTagAt = 40, kTagBytes = 16;
constexpr size_t kAuthenticatedBytes = kTagAt;
// EVP takes lengths as int.
constexpr size_t kMaxStep = size_t{1} << 30;

using Header = std::array<uint8_t, kEncryptedHeaderBytes>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// Everything of a header but nonce and tag.
Header HeaderFor(const KeyId& id) {
  Header header = {};
  std::copy(kProgramMagic.begin(), kProgramMagic.end(), header.begin());
  header[kProgramMagic.size()] = kProgramVersion;
  std::copy(id.begin(), id.end(), header.begin() + kKeyIdAt);
  return header;
}

// The first bytes of HMAC-SHA-256(key, header without nonce and tag || program). The header has a
// fixed size, so that no two pairs of both have the same text.
void SetNonce(absl::Span<const uint8_t> program, const EncryptionKey& key, Header& header) {
  const SecretBytes nonce_key = key.Derive("synap nonce");
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> hmac(
      EVP_MAC_fetch(nullptr, "HMAC", nullptr), EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(
      EVP_MAC_CTX_new(hmac.get()), EVP_MAC_CTX_free);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  Sha256 mac;
  size_t size = 0;
  ThrowUnlessDone(context != nullptr);
  ThrowUnlessDone(
      EVP_MAC_init(context.get(), nonce_key.span().data(), nonce_key.size(), parameters) == 1);
  ThrowUnlessDone(EVP_MAC_update(context.get(), header.data(), header.size()) == 1);
  ThrowUnlessDone(EVP_MAC_update(context.get(), program.data(), program.size()) == 1);
  ThrowUnlessDone(EVP_MAC_final(context.get(), mac.data(), &size, mac.size()) == 1);
  CHECK(size == mac.size());
  std::copy_n(mac.begin(), kNonceBytes, header.begin() + kNonceAt);
}

// AES-256-GCM that has read the header. `encrypt`: 1, or 0 to decrypt.
Cipher MakeCipher(const uint8_t* header, const EncryptionKey& key, int encrypt) {
  const SecretBytes cipher_key = key.Derive("synap encryption");
  Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  ThrowUnlessDone(cipher != nullptr);
  ThrowUnlessDone(EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr,
                                    cipher_key.span().data(), header + kNonceAt, encrypt) == 1);
  ThrowUnlessDone(EVP_CipherUpdate(cipher.get(), nullptr, &size, header, kAuthenticatedBytes) == 1);
  return cipher;
}

void Apply(EVP_CIPHER_CTX* cipher, absl::Span<const uint8_t> from, uint8_t* to) {
  while (!from.empty()) {
    const size_t step = std::min(from.size(), kMaxStep);
    int size = 0;
    ThrowUnlessDone(EVP_CipherUpdate(cipher, to, &size, from.data(), static_cast<int>(step)) == 1);
    to += step;
    from.remove_prefix(step);
  }
}

// Memory that is wiped before it is freed.
struct WipedMemory {
  explicit WipedMemory(size_t bytes) : memory(bytes), size(bytes) {}
  WipedMemory(const WipedMemory&) = delete;
  WipedMemory& operator=(const WipedMemory&) = delete;
  ~WipedMemory() {
    if (memory.data() != nullptr) Wipe(memory.data(), size);
  }

  AlignedMemory memory;
  size_t size;
};

absl::Status NoMemory(size_t bytes) {
  return absl::ResourceExhaustedError(
      absl::StrCat("can't allocate ", MemorySizeText(bytes), " for the decrypted program"));
}

}  // namespace

bool IsEncryptedProgram(absl::Span<const uint8_t> bytes) {
  return bytes.size() >= kProgramMagic.size() &&
         std::equal(kProgramMagic.begin(), kProgramMagic.end(), bytes.begin(),
                    [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

std::string EncryptProgram(absl::Span<const uint8_t> program, const EncryptionKey& key) {
  Header header = HeaderFor(key.id());
  SetNonce(program, key, header);
  std::string encrypted(header.size() + program.size(), '\0');
  auto* const bytes = reinterpret_cast<uint8_t*>(encrypted.data());
  const Cipher cipher = MakeCipher(header.data(), key, 1);
  Apply(cipher.get(), program, bytes + header.size());
  int rest = 0;
  ThrowUnlessDone(EVP_CipherFinal_ex(cipher.get(), bytes + encrypted.size(), &rest) == 1);
  CHECK(rest == 0);
  ThrowUnlessDone(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                                      header.data() + kTagAt) == 1);
  std::copy(header.begin(), header.end(), bytes);
  return encrypted;
}

absl::StatusOr<KeyId> KeyIdOf(absl::Span<const uint8_t> encrypted) {
  if (!IsEncryptedProgram(encrypted) || encrypted.size() < kEncryptedHeaderBytes) {
    return absl::InvalidArgumentError("the encrypted program has no whole header");
  }
  KeyId id;
  std::copy_n(encrypted.begin() + kKeyIdAt, id.size(), id.begin());
  Header expected = HeaderFor(id);
  std::copy_n(encrypted.begin() + kNonceAt, kNonceBytes, expected.begin() + kNonceAt);
  std::copy_n(encrypted.begin() + kTagAt, kTagBytes, expected.begin() + kTagAt);
  if (std::equal(expected.begin(), expected.end(), encrypted.begin())) return id;
  return absl::InvalidArgumentError(absl::StrCat("the encrypted program's header isn't of version ",
                                                 int{kProgramVersion}, ", expected that"));
}

absl::StatusOr<DecryptedProgram> DecryptProgram(absl::Span<const uint8_t> encrypted,
                                                const EncryptionKey& key) {
  ASSIGN_OR_RETURN(const KeyId id, KeyIdOf(encrypted));
  if (id != key.id()) {
    return absl::PermissionDeniedError(absl::StrCat("the program is encrypted with the key ",
                                                    ShortDigits(id), ", the key given is ",
                                                    ShortDigits(key.id())));
  }
  const absl::Span<const uint8_t> ciphertext = encrypted.subspan(kEncryptedHeaderBytes);
  if (!IsAvailable(ciphertext.size())) return NoMemory(ciphertext.size());
  auto plain = std::make_shared<WipedMemory>(ciphertext.size());
  if (plain->memory.data() == nullptr) return NoMemory(ciphertext.size());
  const Cipher cipher = MakeCipher(encrypted.data(), key, 0);
  Apply(cipher.get(), ciphertext, plain->memory.data());
  std::array<uint8_t, kTagBytes> tag;
  std::copy_n(encrypted.begin() + kTagAt, kTagBytes, tag.begin());
  ThrowUnlessDone(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) ==
                  1);
  uint8_t none = 0;
  int rest = 0;
  if (EVP_CipherFinal_ex(cipher.get(), &none, &rest) != 1) {
    return absl::PermissionDeniedError("the encrypted program was changed, or its key is wrong");
  }
  const absl::Span<const uint8_t> bytes(plain->memory.data(), plain->size);
  return DecryptedProgram{std::move(plain), bytes};
}

}  // namespace synap_internal
