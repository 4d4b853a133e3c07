#include "compiler/import/archive_texts.h"

#include <zip.h>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// The bytes of an archive with these entries.
std::string Archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  const std::string path = JoinPath(::testing::TempDir(), "texts.zip");
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  EXPECT_NE(archive, nullptr);
  for (const auto& [name, text] : entries) {
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    EXPECT_GE(zip_file_add(archive, name.c_str(), source, 0), 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

TEST(ArchiveTextsTest, ReadsTextsBehindOtherBytes) {
  const std::string bytes = Archive({{"labels.txt", "cat\ndog\n"},
                                     {"weights.bin", "1234"},
                                     {"extra/metadata.json", std::string(5000, ' ')}});
  const auto expected = ElementsAre(Pair("extra/metadata.json", std::string(5000, ' ')),
                                    Pair("labels.txt", "cat\ndog\n"));
  EXPECT_THAT(ReadArchiveTexts(bytes), expected);
}

TEST(ArchiveTextsTest, LeavesOutWhatIsLargeOrDamaged) {
  std::string bytes = Archive({{"large.txt", std::string((1 << 20) + 1, 'x')}, {"a.txt", "abcd"}});
  EXPECT_THAT(ReadArchiveTexts(bytes), ElementsAre(Pair("a.txt", "abcd")));
  bytes[bytes.find("abcd")] = 'b';
  EXPECT_THAT(ReadArchiveTexts(bytes), IsEmpty());
  EXPECT_THAT(ReadArchiveTexts("no archive"), IsEmpty());
  EXPECT_THAT(ReadArchiveTexts(""), IsEmpty());
}

}  // namespace
}  // namespace synap_internal
