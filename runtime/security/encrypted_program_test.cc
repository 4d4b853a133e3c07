#include "runtime/security/encrypted_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/key_files.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

constexpr size_t kNonceAt = 12, kNonceBytes = 12;

EncryptionKey Key(char digit) { return *ParseEncryptionKey(std::string(64, digit)); }

std::string Decrypted(const std::string& encrypted, const EncryptionKey& key) {
  const auto program = DecryptProgram(AsBytes(encrypted), key);
  if (!program.ok()) return std::string(program.status().message());
  return std::string(program->bytes.begin(), program->bytes.end());
}

TEST(EncryptedProgramTest, DecryptsWhatWasEncrypted) {
  for (const size_t size : {0, 1, 15, 16, 17, 100000}) {
    const std::string program(size, 'p');
    const std::string encrypted = EncryptProgram(AsBytes(program), Key('1'));
    EXPECT_EQ(encrypted.size(), kEncryptedHeaderBytes + size);
    EXPECT_EQ(encrypted.find("pppp"), std::string::npos);
    EXPECT_EQ(Decrypted(encrypted, Key('1')), program);
  }
}

TEST(EncryptedProgramTest, IsAlignedForKernels) {
  const std::string encrypted = EncryptProgram(AsBytes("program"), Key('1'));
  const auto program = DecryptProgram(AsBytes(encrypted), Key('1'));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(program->bytes.data()) % 64, 0u);
}

TEST(EncryptedProgramTest, IsAFunctionOfKeyAndProgram) {
  const std::string encrypted = EncryptProgram(AsBytes("program"), Key('1'));
  EXPECT_EQ(encrypted, EncryptProgram(AsBytes("program"), Key('1')));
}

// GCM breaks if two texts have a nonce in common under one key.
TEST(EncryptedProgramTest, NoTwoProgramsAndNoTwoKeysShareANonce) {
  std::set<std::string> nonces;
  std::string program(64, '\0');
  size_t programs = 0;
  for (const char digit : {'1', '2'}) {
    // Of one bit's difference, and of zeros behind the end.
    for (size_t i = 0; i < 8 * program.size(); ++i) {
      std::string changed = program;
      changed[i / 8] = static_cast<char>(1 << i % 8);
      nonces.insert(EncryptProgram(AsBytes(changed), Key(digit)).substr(kNonceAt, kNonceBytes));
      nonces.insert(
          EncryptProgram(AsBytes(std::string(i, '\0')), Key(digit)).substr(kNonceAt, kNonceBytes));
      programs += 2;
    }
  }
  EXPECT_EQ(nonces.size(), programs);
}

// By Python's cryptography package: AESGCM(HMAC(key, "synap encryption")).encrypt(nonce, text,
// head).
TEST(EncryptedProgramTest, HasTheDocumentedForm) {
  const std::string encrypted = EncryptProgram(AsBytes("a program"), Key('1'));
  EXPECT_EQ(absl::BytesToHexString(encrypted),
            "53594e4150454e43010000000c884eca0db36501a3e5a4fde629a67e569f4655"
            "655e4cc3604c49b2c7dbd1812b6b8172c07c057562c51c5f0000000000000000"
            "1d0f8aa4d422c51a34");
}

TEST(EncryptedProgramTest, EveryByteCounts) {
  const std::string encrypted = EncryptProgram(AsBytes("a program"), Key('1'));
  for (size_t i = 0; i < encrypted.size(); ++i) {
    for (const int bit : {0, 7}) {
      std::string changed = encrypted;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      EXPECT_FALSE(DecryptProgram(AsBytes(changed), Key('1')).ok()) << "byte " << i;
    }
  }
  for (size_t size = 0; size < encrypted.size(); ++size) {
    EXPECT_FALSE(DecryptProgram(AsBytes(encrypted.substr(0, size)), Key('1')).ok());
  }
}

TEST(EncryptedProgramTest, NamesTheKeyThatItNeeds) {
  const std::string encrypted = EncryptProgram(AsBytes("a program"), Key('1'));
  EXPECT_THAT(Decrypted(encrypted, Key('2')),
              HasSubstr("is encrypted with the key " + ShortDigits(Key('1').id())));
}

}  // namespace
}  // namespace synap_internal
