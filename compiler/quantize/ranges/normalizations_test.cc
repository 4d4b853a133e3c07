#include "compiler/quantize/ranges/normalizations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Found(absl::string_view body) {
  const Graph graph = GraphOfBody(body);
  std::vector<std::string> names;
  for (const Op* op : InOrder(graph, NormalizingOps(graph))) names.push_back(op->output()->name);
  return names;
}

TEST(NormalizingOpsTest, ALayerNormHasItsMeansAndItsConstants) {
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
              ElementsAre("m", "c", "s", "v", "a", "d", "n", "g", "b"));
}

TEST(NormalizingOpsTest, ARootMeanSquareMayBeAFactor) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    %s: float32[1x2x4] = mul(%x, %x)
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = rsqrt(%v)
    %y: float32[1x2x4] = mul(%d, %x)
    output %y)"),
              ElementsAre("s", "v", "d", "y"));
}

TEST(NormalizingOpsTest, OneOpIsWholeAndMayFollowSeveral) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    const %b: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %e: float32[] = [1e-9]
    %s: float32[1x2x4] = square(%x)
    %v: float32[1x2x1] = reduce_mean(%s) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = sqrt(%v)
    %a: float32[1x2x1] = add(%d, %e)
    %n: float32[1x2x4] = div(%x, %a)
    %y: float32[1x2x4] = normalization(%n, _, %b) {axes=[2]}
    output %y)"),
              ElementsAre("s", "v", "d", "a", "n", "y"));
}

TEST(NormalizingOpsTest, AGateByItsOwnMeanIsNone) {
  EXPECT_THAT(Found(R"(
    input %x: float32[1x2x4]
    %v: float32[1x2x1] = reduce_mean(%x) {axes=[2], keep_dims=1}
    %d: float32[1x2x1] = sigmoid(%v)
    %y: float32[1x2x4] = mul(%x, %d)
    output %y)"),
              IsEmpty());
}

TEST(NormalizingOpsTest, AGateByTheMeanOfOthersIsNone) {
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
