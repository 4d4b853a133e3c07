#include "runtime/security/sealed_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/programs.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/key_store.h"
#include "runtime/security/test_keys.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

ModelMetadata Metadata(bool secure) {
  ModelMetadata metadata;
  const TensorType type{DataType::kUint8, Shape({1, 4}), {}};
  metadata.inputs = {MakeMetadata("x", type)};
  metadata.outputs = {MakeMetadata("y", type)};
  metadata.secure = secure;
  return metadata;
}

std::string TestProgram() {
  const TensorType type{DataType::kUint8, Shape({1, 4}), {}};
  return MakeProgram("reshape", {{"shape", std::vector<int64_t>{1, 4}}}, {type}, type);
}

class SealedFilesTest : public ::testing::Test {
 protected:
  static const std::string& Folder() {
    static const auto* const folder = new std::string(MakeTestKeys("sealed"));
    return *folder;
  }

  SealedFilesTest() { setenv(kKeysVariable, RuntimeKeysIn(Folder()).c_str(), 1); }

  static absl::Status Read(const std::string& synap) {
    const auto bundle = ReadBundle(AsBytes(synap));
    return bundle.ok() ? ReadPrograms(*bundle).status() : bundle.status();
  }

  // The sealed model with its entries changed.
  template <typename Change>
  std::string Changed(Change change) const {
    std::vector<ZipEntry> entries = *ReadStoredZip(AsBytes(sealed_));
    change(entries);
    return *WriteStoredZip(entries);
  }

  const SealKeys keys_ = TestSealKeys(Folder());
  const std::string program_ = TestProgram();
  const std::string plain_ = *WriteBundle(program_, Metadata(true));
  const std::string sealed_ = *SealBundle(plain_, keys_);
};

TEST_F(SealedFilesTest, RunsAfterTheSealWasVerified) {
  const auto bundle = ReadBundle(AsBytes(sealed_));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_TRUE(bundle->is_sealed);
  const absl::Span<const uint8_t> model = bundle->subgraphs[0].model;
  EXPECT_EQ(std::string(model.begin(), model.end()), program_);
  EXPECT_TRUE(ReadPrograms(*bundle).ok());
}

TEST_F(SealedFilesTest, HidesTheProgramAndIsReproducible) {
  EXPECT_NE(plain_.find(program_), std::string::npos);
  EXPECT_EQ(sealed_.find(program_.substr(0, 16)), std::string::npos);
  EXPECT_EQ(sealed_, *SealBundle(plain_, keys_));
}

// Every byte of the file counts: in the ZIP's headers, in the padding between entries, in the seal.
TEST_F(SealedFilesTest, AnyFlippedByteIsFound) {
  for (size_t i = 0; i < sealed_.size(); ++i) {
    std::string changed = sealed_;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const absl::Status status = Read(changed);
    EXPECT_FALSE(status.ok()) << "byte " << i;
    EXPECT_EQ(status.message().find('\n'), absl::string_view::npos);
  }
}

TEST_F(SealedFilesTest, AnyMissingEndIsFound) {
  for (size_t size = 0; size < sealed_.size(); ++size) {
    EXPECT_FALSE(Read(sealed_.substr(0, size)).ok()) << "size " << size;
  }
  EXPECT_FALSE(Read(sealed_ + '\0').ok());
}

TEST_F(SealedFilesTest, RefusesAModelWithoutItsSeal) {
  const std::string bare = Changed([](std::vector<ZipEntry>& entries) { entries.pop_back(); });
  EXPECT_EQ(MessageOf(Read(bare)),
            "entry '0/model.nb' is encrypted, but the model has no seal ('seal.bin'): it was "
            "changed after the conversion; use the original file");
  EXPECT_EQ(MessageOf(Read(plain_)),
            "0/model.nb is marked secure, but the model has no seal: it was changed after the "
            "conversion; use the original file");
}

TEST_F(SealedFilesTest, RefusesChangedPolicies) {
  std::string json;
  const std::string downgraded = Changed([&](std::vector<ZipEntry>& entries) {
    json.assign(entries[2].data.begin(), entries[2].data.end());
    json = absl::StrReplaceAll(json, {{"\"secure\": true", "\"secure\": false"}});
    entries[2].data = AsBytes(json);
  });
  EXPECT_THAT(MessageOf(Read(downgraded)), HasSubstr("isn't that of the model's content"));
}

TEST_F(SealedFilesTest, RefusesTheFilesOfAnotherModelOfTheSameKeys) {
  ModelMetadata metadata = Metadata(true);
  metadata.inputs[0].security = TensorSecurity::kSecure;
  const std::string strict = *SealBundle(*WriteBundle(program_, metadata), keys_);
  const std::vector<ZipEntry> entries_of_strict = *ReadStoredZip(AsBytes(strict));
  for (const size_t entry : {2, 3}) {  // model.json, the seal
    const std::string mixed =
        Changed([&](std::vector<ZipEntry>& entries) { entries[entry] = entries_of_strict[entry]; });
    EXPECT_THAT(MessageOf(Read(mixed)), HasSubstr("isn't that of the model's content"));
  }
}

TEST_F(SealedFilesTest, RefusesSwappedSubgraphs) {
  const ModelMetadata metadata = Metadata(true);
  const std::string second = TestProgram() + std::string(64, '\0');
  const std::string both = *SealBundle(
      *WriteBundle({{program_, metadata, {{-1, 0}}}, {second, metadata, {{0, 0}}}}, {{1, 0}}),
      keys_);
  ASSERT_TRUE(ReadBundle(AsBytes(both)).ok());
  std::vector<ZipEntry> entries = *ReadStoredZip(AsBytes(both));
  ASSERT_EQ(entries[1].name, "0/model.nb");
  ASSERT_EQ(entries[3].name, "1/model.nb");
  std::swap(entries[1].data, entries[3].data);
  EXPECT_THAT(MessageOf(Read(*WriteStoredZip(entries))),
              HasSubstr("isn't that of the model's content"));
}

// Its entries are those that were signed.
TEST_F(SealedFilesTest, RefusesAnotherZipOfTheSameEntries) {
  std::string other = sealed_;
  const size_t end = other.rfind("PK\x05\x06");
  other[end + 20] = 1;  // a comment of one byte
  EXPECT_THAT(MessageOf(Read(other + "c")), HasSubstr("the ZIP structure of the secure model"));
}

TEST_F(SealedFilesTest, NeedsTheKeysOfTheModel) {
  unsetenv(kKeysVariable);
  EXPECT_THAT(MessageOf(Read(sealed_)), HasSubstr("SYNAP_KEYS isn't set"));
  const std::string other = MakeTestKeys("others");
  setenv(kKeysVariable, RuntimeKeysIn(other).c_str(), 1);
  EXPECT_THAT(MessageOf(Read(sealed_)), HasSubstr("of the model's vendor certificate"));
  // The vendor is trusted, but the key is another.
  const SealKeyFiles files = SealKeyFilesIn(Folder());
  SealKeys mixed = TestSealKeys(Folder());
  mixed.encryption = TestSealKeys(other).encryption;
  setenv(kKeysVariable, RuntimeKeysIn(Folder()).c_str(), 1);
  EXPECT_THAT(MessageOf(Read(*SealBundle(plain_, mixed))),
              HasSubstr("that the model is encrypted with"));
}

TEST_F(SealedFilesTest, RefusesASignedModelThatIsntEncrypted) {
  std::vector<ZipEntry> entries = *ReadStoredZip(AsBytes(plain_));
  std::vector<SealedFile> files;
  for (const ZipEntry& entry : entries) files.push_back({entry.name, entry.data});
  const std::string seal = MakeSeal(files, keys_);
  entries.push_back({kSealEntry, AsBytes(seal)});
  EXPECT_THAT(MessageOf(Read(*WriteStoredZip(entries))), HasSubstr("has no whole header"));
}

TEST_F(SealedFilesTest, TheMarkGoesWithTheSeal) {
  const std::string unmarked = *SealBundle(*WriteBundle(program_, Metadata(false)), keys_);
  EXPECT_EQ(MessageOf(Read(unmarked)),
            "0/model.nb is not marked secure, but the model has a seal: it was changed after the "
            "conversion; use the original file");
}

TEST_F(SealedFilesTest, PoliciesWithoutASealHaveNoEffect) {
  ModelMetadata metadata = Metadata(false);
  metadata.inputs[0].security = TensorSecurity::kSecure;
  const std::string model = *WriteBundle(program_, metadata);
  EXPECT_EQ(ReadBundle(AsBytes(model))->subgraphs[0].metadata.inputs[0].security,
            TensorSecurity::kNone);
  metadata.secure = true;
  const std::string sealed = *SealBundle(*WriteBundle(program_, metadata), keys_);
  EXPECT_EQ(ReadBundle(AsBytes(sealed))->subgraphs[0].metadata.inputs[0].security,
            TensorSecurity::kSecure);
}

class SealedModelTest : public SealedFilesTest {
 protected:
  const std::string metadata_ = *PrintModelMetadata(Metadata(true));
  const std::string model_ = SealModel(program_, metadata_, keys_);
};

TEST_F(SealedModelTest, RunsAfterTheSealWasVerified) {
  const auto bundle = ReadModel(AsBytes(model_), metadata_);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_TRUE(bundle->is_sealed);
  EXPECT_TRUE(bundle->is_verified);
  EXPECT_TRUE(ReadPrograms(*bundle).ok());
}

TEST_F(SealedModelTest, AnyFlippedByteIsFound) {
  for (size_t i = 0; i < model_.size(); ++i) {
    std::string changed = model_;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto bundle = ReadModel(AsBytes(changed), metadata_);
    EXPECT_FALSE(bundle.ok() && ReadPrograms(*bundle).ok()) << "byte " << i;
  }
  for (size_t i = 0; i < metadata_.size(); ++i) {
    std::string changed = metadata_;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(ReadModel(AsBytes(model_), changed).ok()) << "byte " << i;
  }
}

TEST_F(SealedModelTest, AnyMissingEndIsFound) {
  for (size_t size = 0; size < model_.size(); ++size) {
    const auto bundle = ReadModel(AsBytes(model_.substr(0, size)), metadata_);
    EXPECT_FALSE(bundle.ok() && ReadPrograms(*bundle).ok()) << "size " << size;
  }
}

}  // namespace
}  // namespace synap_internal
