#include "runtime/security/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/key_files.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/key_store.h"
#include "runtime/security/make_keys.h"
#include "runtime/security/test_keys.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

class SealTest : public ::testing::Test {
 protected:
  // Of two vendors; made once, since RSA keys take a while.
  static const std::string& Folder() {
    static const auto* const folder = new std::string(MakeTestKeys("seal"));
    return *folder;
  }
  static const std::string& OtherFolder() {
    static const auto* const folder = new std::string(MakeTestKeys("other_vendor"));
    return *folder;
  }

  static absl::Status Verify(const std::string& seal, const std::vector<SealedFile>& files,
                             const std::string& folder = Folder()) {
    return VerifySeal(AsBytes(seal), files, *KeyStore::Open(RuntimeKeysIn(folder)));
  }

  const SealKeys keys_ = TestSealKeys(Folder());
  const std::string a_ = "content of a", b_ = "content of b";
  const std::vector<SealedFile> files_ = {{"a", AsBytes(a_)}, {"b", AsBytes(b_)}};
};

TEST_F(SealTest, IsAFunctionOfKeysAndFiles) {
  const std::string seal = MakeSeal(files_, keys_);
  EXPECT_EQ(MessageOf(Verify(seal, files_)), "");
  EXPECT_EQ(seal, MakeSeal(files_, keys_));
  EXPECT_EQ(seal, MakeSeal({files_[1], files_[0]}, keys_));
  EXPECT_NE(seal, MakeSeal({files_[0]}, keys_));
}

TEST_F(SealTest, RefusesOtherFiles) {
  const std::string seal = MakeSeal(files_, keys_);
  const std::vector<std::vector<SealedFile>> others = {
      {},
      {files_[0]},
      {files_[0], {"b", AsBytes(a_)}},
      {{"a", AsBytes(b_)}, {"b", AsBytes(a_)}},  // swapped
      {files_[0], {"c", AsBytes(b_)}},
      {files_[0], files_[1], {"c", {}}},
  };
  for (const std::vector<SealedFile>& files : others) {
    EXPECT_THAT(MessageOf(Verify(seal, files)), HasSubstr("isn't that of the model's content"));
  }
}

TEST_F(SealTest, EveryByteCounts) {
  const std::string seal = MakeSeal(files_, keys_);
  for (size_t i = 0; i < seal.size(); ++i) {
    std::string changed = seal;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(Verify(changed, files_).ok()) << "byte " << i;
  }
  for (size_t size = 0; size < seal.size(); ++size) {
    EXPECT_THAT(MessageOf(Verify(seal.substr(0, size), files_)),
                StartsWith("the model's seal is damaged"));
  }
  EXPECT_THAT(MessageOf(Verify(seal + '\0', files_)), HasSubstr("bytes behind its end"));
}

TEST_F(SealTest, TrustsTheVendorsOfTheFolderOnly) {
  const std::string seal = MakeSeal(files_, keys_);
  EXPECT_THAT(MessageOf(Verify(seal, files_, OtherFolder())),
              HasSubstr("of the model's vendor certificate (found: "));
  // A certificate of another vendor under the name of the trusted one.
  SealKeys forged = TestSealKeys(OtherFolder());
  forged.vendor = keys_.vendor;
  EXPECT_THAT(MessageOf(Verify(MakeSeal(files_, forged), files_)),
              HasSubstr("wasn't issued by the vendor certificate"));
}

TEST_F(SealTest, RefusesTheSignatureOfAnotherKeyOfTheVendor) {
  const Vendor vendor =
      *LoadVendor(JoinPath(Folder(), "vendor.pem"), JoinPath(Folder(), "vendor.crt"));
  SealKeys mixed = TestSealKeys(Folder());
  mixed.signature = MakeSigner("second", kMinRsaBits, vendor)->key;
  EXPECT_THAT(MessageOf(Verify(MakeSeal(files_, mixed), files_)),
              HasSubstr("the signature (CN = SyNAP models) isn't that of the model's content"));
}

TEST_F(SealTest, TextNamesTheSigner) {
  EXPECT_THAT(*SealText(AsBytes(MakeSeal(files_, keys_))),
              StartsWith("signed by: CN = SyNAP models\nSHA-256 of the vendor certificate: "));
}

class KeyStoreTest : public SealTest {};

TEST_F(KeyStoreTest, IsTheFolderOfTheEnvironment) {
  unsetenv(kKeysVariable);
  EXPECT_THAT(MessageOf(KeyStore::OfProcess().status()), HasSubstr("SYNAP_KEYS isn't set"));
  setenv(kKeysVariable, RuntimeKeysIn(Folder()).c_str(), 1);
  const auto store = KeyStore::OfProcess();
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store->FindKey(keys_.encryption.id()))->id(), keys_.encryption.id());
  EXPECT_THAT(MessageOf(store->FindKey(KeyId{}).status()),
              HasSubstr("no *.key has the id 0000000000000000 that the model is encrypted with"));
  setenv(kKeysVariable, "/nonexistent", 1);
  EXPECT_THAT(MessageOf(KeyStore::OfProcess().status()),
              StartsWith("/nonexistent: can't list the folder of keys: "));
  setenv(kKeysVariable, std::string(64, 'a').c_str(), 1);
  EXPECT_THAT(MessageOf(KeyStore::OfProcess().status()),
              StartsWith("SYNAP_KEYS (a key): can't list the folder of keys: "));
}

TEST_F(KeyStoreTest, HoldsSeveralKeys) {
  const std::string folder = MakeTestKeys("several");
  const std::string runtime = RuntimeKeysIn(folder);
  const auto copy = [&](const char* from, const char* to) {
    const std::string text = *ReadFile(JoinPath(RuntimeKeysIn(Folder()), from));
    ASSERT_TRUE(WriteFileAtomically(JoinPath(runtime, to), text).ok());
  };
  copy("encryption.key", "old.key");
  copy("vendor.crt", "old.crt");
  EXPECT_TRUE(Verify(MakeSeal(files_, keys_), files_, folder).ok());
  EXPECT_TRUE(Verify(MakeSeal(files_, TestSealKeys(folder)), files_, folder).ok());
}

TEST_F(KeyStoreTest, RefusesCertificatesThatArentVendors) {
  const std::string folder = MakeTestKeys("untrusted");
  const std::string file = JoinPath(RuntimeKeysIn(folder), "model.crt");
  ASSERT_TRUE(WriteFileAtomically(file, *ReadFile(JoinPath(folder, "model.crt"))).ok());
  EXPECT_THAT(MessageOf(KeyStore::Open(RuntimeKeysIn(folder)).status()),
              StartsWith(file + ": the certificate (CN = SyNAP models)"));
}

TEST_F(KeyStoreTest, NamesTheRuntimesFolderInThatOfConversions) {
  EXPECT_EQ(MessageOf(KeyStore::Open(Folder()).status()),
            Folder() +
                ": has the keys of conversions, expected those of a runtime; set SYNAP_KEYS "
                "to " +
                RuntimeKeysIn(Folder()));
}

TEST_F(KeyStoreTest, NamesTheFileThatCantBeRead) {
  const std::string folder = MakeTestKeys("broken");
  const std::string file = JoinPath(RuntimeKeysIn(folder), "broken.key");
  ASSERT_TRUE(WriteFileAtomically(file, "no key").ok());
  EXPECT_THAT(MessageOf(KeyStore::Open(RuntimeKeysIn(folder)).status()),
              StartsWith(file + ": it has 6 characters, expected an AES-256 key"));
}

}  // namespace
}  // namespace synap_internal
