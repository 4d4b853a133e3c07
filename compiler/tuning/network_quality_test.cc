#include "compiler/tuning/network_quality.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

// Two channels of very different size, turned around behind the layer.
Graph Network(absl::string_view weights) {
  const std::string text = absl::StrCat(R"(
    input %x: float32[1x1x2x1]
    const %w: float32[2x1x1x1] = )",
                                        weights, R"(
    %c: float32[1x1x2x2] = conv2d(%x, %w) from "c"
    %t: float32[1x2x1x2] = transpose(%c) {perm=[0, 3, 1, 2]} from "t"
    output %t)");
  return GraphOfBody(text);
}

std::vector<double> SharesOf(const Graph& quantized, int threads) {
  const Graph real = Network("[100.0, 1.0]");
  auto quality = NetworkQuality::Create(real, threads);
  EXPECT_TRUE(quality.ok()) << quality.status();
  EXPECT_TRUE((*quality)->AddSample("a", {{1, 2}}).ok());
  EXPECT_TRUE((*quality)->AddSample("b", {{3, -1}}).ok());
  auto shares = (*quality)->Measure(quantized);
  EXPECT_TRUE(shares.ok()) << shares.status();
  return *shares;
}

TEST(NetworkQualityTest, ChannelsCountAlikeHoweverSmall) {
  // Half of the small channel is lost: a quarter of its power, and nothing of the other's.
  const std::vector<double> shares = SharesOf(Network("[100.0, 0.5]"), 1);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_DOUBLE_EQ(shares[0], 0.125);
  EXPECT_NEAR(WorstSqnrDb(shares), 9.03, 0.01);
}

TEST(NetworkQualityTest, NothingLostIsTheLargestRatio) {
  EXPECT_DOUBLE_EQ(WorstSqnrDb(SharesOf(Network("[100.0, 1.0]"), 1)), 200);
}

TEST(NetworkQualityTest, ThreadsMakeNoDifference) {
  EXPECT_EQ(SharesOf(Network("[99.9, 0.97]"), 1), SharesOf(Network("[99.9, 0.97]"), 3));
}

TEST(NetworkQualityTest, ANetworkThatComputesNothingIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      NetworkQuality::Create(GraphOfBody("input %x: float32[1]\noutput %x"), 1).status()));
}

}  // namespace
}  // namespace synap
