#include "compiler/metafile/effort.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

// "99", "98", ... in no order that counts.
std::vector<std::string> Names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(absl::StrCat(99 - i));
  return names;
}

TEST(EffortTest, FastEndsWithTheThirtySecondName) {
  QuantizationSpec fast;
  fast.effort = Effort::kFast;
  EXPECT_EQ(LastSample(fast, Names(40)), "91");
  EXPECT_EQ(LastSample(fast, Names(33)), "98");
  EXPECT_EQ(LastSample(fast, Names(32)), "");
  EXPECT_EQ(LastSample(fast, {}), "");
}

TEST(EffortTest, OtherEffortsEndWithTheLastSampleThatIsWritten) {
  QuantizationSpec spec;
  EXPECT_EQ(LastSample(spec, Names(40)), "");
  spec.last_sample = "70";
  EXPECT_EQ(LastSample(spec, Names(40)), "70");
}

TEST(EffortTest, FastEndsWithTheEarlierOne) {
  QuantizationSpec fast;
  fast.effort = Effort::kFast;
  fast.last_sample = "70";
  EXPECT_EQ(LastSample(fast, Names(40)), "70");
  EXPECT_EQ(LastSample(fast, Names(20)), "70");
  fast.last_sample = "97";
  EXPECT_EQ(LastSample(fast, Names(40)), "91");
}

}  // namespace
}  // namespace synap_internal
