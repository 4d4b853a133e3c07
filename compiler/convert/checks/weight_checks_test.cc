#include "compiler/convert/checks/weight_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> WarningsOf(absl::string_view body) {
  Warnings warnings;
  WarnOfNonFiniteWeights(GraphOfBody(body), warnings);
  return warnings.Texts();
}

TEST(WeightChecksTest, NamesWeightsThatAreNoNumbers) {
  EXPECT_THAT(WarningsOf(R"(
    input %x: float32[1x3]
    const %w: float32[2x3] = [1.0, nan, 2.0, inf, nan, 3.0]
    const %b: float32[2] = [-inf, 0.0]
    %y: float32[1x2] = fully_connected(%x, %w, %b) from "fc"
    output %y)"),
              ElementsAre("layer 'fc': its constant 'w' has 2 NaN and 1 infinite value among 6 "
                          "values, which spoil what is computed of them: export the model again, "
                          "from a training that didn't diverge",
                          HasSubstr("layer 'fc': its constant 'b' has 1 infinite value among 2")));
}

TEST(WeightChecksTest, NamesAConstantOnceAndHalvesToo) {
  EXPECT_THAT(WarningsOf(R"(
    input %x: float16[2]
    const %c: float16[2] = [32256, 15360]  # NaN, 1
    %y: float16[2] = mul(%x, %c) from "y"
    %z: float16[2] = add(%y, %c) from "z"
    output %z)"),
              ElementsAre(HasSubstr("layer 'y': its constant 'c' has 1 NaN among 2")));
}

TEST(WeightChecksTest, InfinityMayBeAMaskOrALimit) {
  EXPECT_THAT(WarningsOf(R"(
    input %x: float32[3]
    const %mask: float32[3] = [0.0, -inf, 0.0]
    %y: float32[3] = add(%x, %mask) from "y"
    %z: float32[3] = maximum(%y, %mask) from "z"
    output %z)"),
              IsEmpty());
}

}  // namespace
}  // namespace synap_internal
