#include "compiler/quantization/normalizations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The layers of each normalization, those that divide with a stroke, and a line between them.
std::vector<std::string> Found(absl::string_view body) {
  const Graph graph = GraphOfBody(body);
  std::vector<std::string> names;
  for (const Normalization& normalization : FindNormalizations(graph)) {
    if (!names.empty()) names.emplace_back("|");
    for (const Op* op : normalization.ops) {
      const auto& division = normalization.division;
      const bool divides = std::find(division.begin(), division.end(), op) != division.end();
      names.push_back(absl::StrCat(op->output()->name, divides ? "/" : ""));
    }
  }
  return names;
}

TEST(FindNormalizationsTest, ALayerNormHasItsMeansAndItsConstants) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    const %e: float32[] = [0.5]
    const %w: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %before: float32[1x2x4] = mul(%x, %w)
    %m: float32[1x2x1] = reduce_mean(%before) {axes=[2], keep_dims=1}
    %c: float32[1x2x4] = sub(%before, %m)
    %s: float32[1x2x4] = square(%c)
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1}
    %a: float32[1x2x1] = add(%v, %e)
    %d: float32[1x2x1] = sqrt(%a)
    %n: float32[1x2x4] = div(%c, %d)
    %g: float32[1x2x4] = mul(%n, %w)
    %b: float32[1x2x4] = add(%g, %w)
    %y: float32[1x2x4] = sigmoid(%b)
    output %y)"),
              ElementsAre("m", "c", "s/", "v/", "a/", "d/", "n/", "g", "b"));
}

TEST(FindNormalizationsTest, ARootMeanSquareMayBeAFactor) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    %s: float32[1x2x4] = mul(%x, %x)
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = rsqrt(%v)
    %y: float32[1x2x4] = mul(%d, %x)
    output %y)"),
              ElementsAre("s/", "v/", "d/", "y/"));
}

TEST(FindNormalizationsTest, AGateByItsOwnMeanIsNone) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    %v: float32[1x2x1] = reduce_mean(%x) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = sigmoid(%v)
    %y: float32[1x2x4] = mul(%x, %d)
    output %y)"),
              IsEmpty());
}

TEST(FindNormalizationsTest, AGateByTheMeanOfOthersIsNone) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    input %o: float32[1x2x4]
    %v: float32[1x2x1] = reduce_mean(%o) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = sigmoid(%v)
    %y: float32[1x2x4] = mul(%x, %d)
    output %y)"),
              IsEmpty());
}

}  // namespace
}  // namespace synap_internal
