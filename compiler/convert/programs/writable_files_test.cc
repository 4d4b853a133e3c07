#include "compiler/convert/programs/writable_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

TEST(WritableFilesTest, FindsWhatCannotBeWritten) {
  const std::string folder = testing::TempDir() + "/can_write";
  ASSERT_TRUE(CreateDirectories(folder).ok());
  EXPECT_TRUE(CheckCanWrite({folder + "/a", "", "/dev/null", "/dev/stdout"}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  ASSERT_TRUE(WriteFileAtomically(folder + "/a", "kept").ok());
  EXPECT_TRUE(CheckCanWrite({folder + "/a"}).ok());
  EXPECT_EQ(*ReadFile(folder + "/a"), "kept");
  EXPECT_THAT(CheckCanWrite({folder + "/missing/a"}).message(),
              HasSubstr("/missing/a: can't be written: "));
  EXPECT_THAT(CheckCanWrite({"", folder}).message(), HasSubstr("is a folder, expected a file"));
  EXPECT_THAT(CheckCanWrite({"/proc/self/a"}).message(),
              HasSubstr("/proc/self/a: can't be written: "));
}

}  // namespace
}  // namespace synap_internal
