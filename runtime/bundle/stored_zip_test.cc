#include "runtime/bundle/stored_zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "runtime/bundle/crc32.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

std::string TwoEntries() {
  return *WriteStoredZip({{"bundle.json", AsBytes("{}")}, {"0/model.nb", AsBytes("program")}});
}

std::string Error(absl::string_view zip) {
  return std::string(ReadStoredZip(AsBytes(zip)).status().message());
}

TEST(Crc32Test, GivesTheStandardCheckValue) {
  EXPECT_EQ(Crc32(AsBytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(Crc32({}), 0u);
}

TEST(StoredZipTest, ReadsWhatItWrote) {
  const std::string zip = TwoEntries();
  const auto entries = ReadStoredZip(AsBytes(zip));
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 2);
  EXPECT_EQ((*entries)[0].name, "bundle.json");
  EXPECT_EQ((*entries)[1].name, "0/model.nb");
  EXPECT_EQ((*entries)[1].data, AsBytes("program"));
}

TEST(StoredZipTest, AlignsDataWhateverTheNamesAre) {
  for (size_t length = 1; length < 130; ++length) {
    const std::string name(length, 'n');
    const std::string zip = *WriteStoredZip({{name, AsBytes("abc")}, {"x", AsBytes("d")}});
    const auto entries = ReadStoredZip(AsBytes(zip));
    ASSERT_TRUE(entries.ok()) << entries.status();
    for (const ZipEntry& entry : *entries) {
      EXPECT_EQ((entry.data.data() - AsBytes(zip).data()) % kZipAlignment, 0) << length;
    }
  }
}

TEST(StoredZipTest, OtherReadersAcceptIt) {
  const std::string bytes = TwoEntries();
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  ASSERT_NE(zip, nullptr);
  EXPECT_EQ(zip_get_num_entries(zip, 0), 2);
  zip_file_t* file = zip_fopen(zip, "0/model.nb", 0);
  ASSERT_NE(file, nullptr);
  char data[8] = {};
  EXPECT_EQ(zip_fread(file, data, sizeof(data)), 7);
  EXPECT_STREQ(data, "program");
  zip_fclose(file);
  zip_close(zip);
}

TEST(StoredZipTest, RefusesEveryTruncation) {
  const std::string zip = TwoEntries();
  for (size_t size = 0; size < zip.size(); ++size) {
    EXPECT_FALSE(ReadStoredZip(AsBytes(zip.substr(0, size))).ok()) << size;
  }
  EXPECT_THAT(Error(zip.substr(0, 100)), HasSubstr("truncated"));
  EXPECT_THAT(Error("PK"), HasSubstr("it has 2 bytes, expected at least 22"));
}

TEST(StoredZipTest, NoticesAnyChangedByteOfData) {
  std::string zip = TwoEntries();
  zip[zip.find("program")] ^= 1;
  EXPECT_THAT(Error(zip), HasSubstr("entry '0/model.nb' is damaged: its checksum is "));
}

TEST(StoredZipTest, SurvivesAnyChangedByte) {
  const std::string zip = TwoEntries();
  for (size_t i = 0; i < zip.size(); ++i) {
    std::string changed = zip;
    changed[i] = static_cast<char>(~changed[i]);
    const auto entries = ReadStoredZip(AsBytes(changed));  // must not crash
    if (entries.ok()) {
      EXPECT_LE(entries->size(), 2);
    }
  }
}

TEST(StoredZipTest, NamesWhatItDoesNotSupport) {
  std::string zip = TwoEntries();
  const size_t directory = zip.find("PK\1\2");
  std::string compressed = zip;
  compressed[directory + 10] = 8;
  EXPECT_THAT(Error(compressed), HasSubstr("entry 'bundle.json' is compressed"));
  std::string encrypted = zip;
  encrypted[directory + 8] = 1;
  EXPECT_THAT(Error(encrypted), HasSubstr("encrypted"));
  EXPECT_THAT(Error(*WriteStoredZip({{"a", {}}, {"a", {}}})), HasSubstr("two entries 'a'"));
}

TEST(StoredZipTest, ErrorsAreOneShortLineWhateverTheNamesAre) {
  EXPECT_THAT(Error(*WriteStoredZip({{"a\n\x80", {}}, {"a\n\x80", {}}})),
              HasSubstr("two entries 'a\\n\\x80', expected"));
  const std::string name(60000, 'a');
  EXPECT_LT(Error(*WriteStoredZip({{name, {}}, {name, {}}})).size(), 200u);
}

}  // namespace
}  // namespace synap_internal
