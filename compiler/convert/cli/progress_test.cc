#include "compiler/convert/cli/progress.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

std::string Left(double seconds, int done, int total) {
  return TimeLeft(std::chrono::duration<double>(seconds), done, total);
}

TEST(TimeLeftTest, GrowsWithThePartsThatAreLeft) {
  EXPECT_EQ(Left(10, 1, 3), ", 20 s left");
  EXPECT_EQ(Left(60, 1, 4), ", 3 min left");
  EXPECT_EQ(Left(3600, 2, 5), ", 1.5 h left");
}

TEST(TimeLeftTest, SaysNothingWhereNothingIsKnownOrHardlyAnythingIsLeft) {
  EXPECT_EQ(Left(1, 1, 1000), "");    // too early
  EXPECT_EQ(Left(10, 0, 10), "");     // nothing measured
  EXPECT_EQ(Left(100, 99, 100), "");  // a second
  EXPECT_EQ(Left(100, 5, 5), "");
}

}  // namespace
}  // namespace synap_internal
