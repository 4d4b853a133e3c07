#include "base/name_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace synap_internal {
namespace {

TEST(NameListTest, TheFirstOnesStandForTheRest) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(FirstNames(names, 4), "a, b, c");
  EXPECT_EQ(FirstNames(names, 3), "a, b, c");
  EXPECT_EQ(FirstNames(names, 2), "a, b and 1 more");
  EXPECT_EQ(FirstNames({}, 2), "");
}

}  // namespace
}  // namespace synap_internal
