#include "kernels/lookup/lookup.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Lookup() { return LookupOps()[0]; }

TestTensor Bytes(int64_t n, TestRandom& random) {
  return RandomTensor({DataType::kUint8, {n}, {}}, random);
}

TEST(LookupTest, EveryTargetEqualsTheReference) {
  TestRandom random(1);
  for (const int64_t n : {0, 1, 7, 8, 9, 63, 64, 127, 128, 129, 200, 390, 70000}) {
    CheckConformance(Lookup(), {.name = std::to_string(n),
                                .inputs = {Bytes(n, random), Bytes(256, random)},
                                .constant = {false, true}});
  }
}

TEST(LookupTest, EveryTargetEqualsTheReferenceWithoutVbmi) {
  const WithoutCpuExtensions without;
  TestRandom random(2);
  for (const int64_t n : {0, 1, 63, 64, 127, 128, 129, 390}) {
    CheckConformance(Lookup(), {.name = std::to_string(n),
                                .inputs = {Bytes(n, random), Bytes(256, random)},
                                .constant = {false, true}});
  }
}

TEST(LookupTest, ReadsTheWholeTable) {
  std::vector<uint8_t> x(256), table(256);
  for (size_t i = 0; i < 256; ++i) {
    x[i] = static_cast<uint8_t>(i);
    table[i] = static_cast<uint8_t>(255 - i);
  }
  const auto out = CheckConformance(
      Lookup(), {.name = "all", .inputs = {TestTensor({256}, x), TestTensor({256}, table)}});
  EXPECT_EQ(out[0].values<uint8_t>(), table);
}

TEST(LookupTest, RejectsOperandsOfOtherTypes) {  // lookup_c1
  TestRandom random(1);
  EXPECT_THAT(
      RefusalOf(Lookup(), {.name = "x",
                           .inputs = {TestTensor({1}, std::vector<float>{1}), Bytes(256, random)}}),
      HasSubstr("x of type float32, expected uint8 (lookup_c1)"));
}

TEST(LookupTest, RejectsTablesOfAnotherSize) {  // lookup_c2
  TestRandom random(1);
  EXPECT_THAT(RefusalOf(Lookup(), {.name = "t", .inputs = {Bytes(4, random), Bytes(255, random)}}),
              HasSubstr("uint8[255], expected uint8[256] (lookup_c2)"));
}

}  // namespace
}  // namespace synap_internal
