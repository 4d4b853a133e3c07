#include "runtime/api/logging.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(LoggingTest, ShowsWarningsAndErrorsByDefault) {
  EXPECT_TRUE(IsLoggedAt(LogLevel::kError, nullptr));
  EXPECT_TRUE(IsLoggedAt(LogLevel::kWarning, nullptr));
  EXPECT_FALSE(IsLoggedAt(LogLevel::kInfo, nullptr));
}

TEST(LoggingTest, FollowsTheVariable) {
  EXPECT_TRUE(IsLoggedAt(LogLevel::kVerbose, "0"));
  EXPECT_FALSE(IsLoggedAt(LogLevel::kWarning, "3"));
  EXPECT_TRUE(IsLoggedAt(LogLevel::kError, "3"));
  EXPECT_FALSE(IsLoggedAt(LogLevel::kError, "-1"));
}

TEST(LoggingTest, WritesLevelFunctionAndLine) {
  EXPECT_EQ(FormatLog(LogLevel::kError, "load_model", 42, "no file"),
            "E:SyNAP: load_model:42: no file\n");
}

}  // namespace
}  // namespace synap_internal
