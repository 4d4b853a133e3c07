#include "compiler/convert/programs/argument_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Written(const std::string& name, const std::string& content) {
  const std::string path = testing::TempDir() + name;
  EXPECT_TRUE(WriteFileAtomically(path, content).ok());
  return absl::StrCat("@", path);
}

TEST(ArgumentFilesTest, EachLineIsAnArgument) {
  const auto expanded = ExpandArgumentFiles(
      {"calibrate", Written("lines", "--samples\na b.jpg\n\n@c.jpg\n"), "--out", "x"});
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_THAT(*expanded,
              ElementsAre("calibrate", "--samples", "a b.jpg", "", "@c.jpg", "--out", "x"));
}

TEST(ArgumentFilesTest, AFileMayHaveNoLineAndNoLineFeedAtItsEnd) {
  const auto expanded = ExpandArgumentFiles({Written("empty", ""), Written("one", "--help"), "@"});
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_THAT(*expanded, ElementsAre("--help", "@"));
}

TEST(ArgumentFilesTest, NamesAFileThatIsNotThere) {
  const absl::Status status = ExpandArgumentFiles({"@none.params"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("none.params: "));
}

}  // namespace
}  // namespace synap_internal
