#include "compiler/quantize/search/network_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

// Two channels of very different size, swapped after the layer.
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

std::vector<OutputNoise> NoiseOf(const Graph& real, const Graph& quantized, int threads = 1) {
  auto quality = NetworkQuality::Create(real, threads);
  EXPECT_TRUE(quality.ok()) << quality.status();
  EXPECT_TRUE((*quality)->AddSample("a", {Constant::Own<float>({1, 2})}).ok());
  EXPECT_TRUE((*quality)->AddSample("b", {Constant::Own<float>({3, -1})}).ok());
  auto noise = (*quality)->Measure(quantized);
  EXPECT_TRUE(noise.ok()) << noise.status();
  return *noise;
}

std::vector<OutputNoise> NoiseOf(const Graph& quantized, int threads = 1) {
  return NoiseOf(Network("[100.0, 1.0]"), quantized, threads);
}

TEST(NetworkQualityTest, ChannelsCountAlikeHoweverSmall) {
  // Half of the small channel is lost: a quarter of its power, and nothing of the other's.
  const std::vector<OutputNoise> noise = NoiseOf(Network("[100.0, 0.5]"));
  ASSERT_EQ(noise.size(), 1u);
  EXPECT_DOUBLE_EQ(noise[0].share, 0.125);
  EXPECT_NEAR(WorstSqnrDb(noise), 9.03, 0.01);
  EXPECT_EQ(DescribeWorst(noise),
            "The worst output is 't'. Channel 1 of the 2 of layer 'c' makes 100 % of its noise.");
}

TEST(NetworkQualityTest, AChannelWithHardlyAnySignalHasNoSay) {
  // The small channel is all noise, a thousand times its signal.
  const std::vector<OutputNoise> noise =
      NoiseOf(Network("[100.0, 0.0001]"), Network("[90.0, 0.1]"));
  ASSERT_EQ(noise.size(), 1u);
  EXPECT_NEAR(noise[0].share, 0.01, 1e-6);
  EXPECT_THAT(noise[0].silent, ElementsAre(1));
  EXPECT_EQ(DescribeWorst(noise),
            "The worst output is 't'. Channel 0 of the 2 of layer 'c' makes 100 % of its noise. Of "
            "layer 'c', channel 1 doesn't count: it has less than a millionth of the mean "
            "channel's power.");
}

TEST(NetworkQualityTest, ChannelsThatLoseAlikeAreNotNamed) {
  EXPECT_EQ(DescribeWorst(NoiseOf(Network("[90.0, 0.9]"))), "The worst output is 't'.");
}

TEST(NetworkQualityTest, NothingLostIsTheLargestRatio) {
  EXPECT_DOUBLE_EQ(WorstSqnrDb(NoiseOf(Network("[100.0, 1.0]"))), 200);
  EXPECT_EQ(DescribeWorst(NoiseOf(Network("[100.0, 1.0]"))), "");
}

// The quantized table differs in the row that the sample doesn't name.
TEST(NetworkQualityTest, IntegersAreRunAsTheyAre) {
  const auto network = [](absl::string_view table) {
    return GraphOfBody(absl::StrCat(R"(
      input %tokens: int64[1]
      const %table: float32[2x2] = )",
                                    table, R"(
      %row: float32[1x2] = gather(%table, %tokens) {axis=0} from "row"
      %y: float32[1x2] = add(%row, %row) from "y"
      output %y)"));
  };
  auto quality = NetworkQuality::Create(network("[1.0, 2.0, 3.0, 4.0]"), 1);
  ASSERT_TRUE(quality.ok()) << quality.status();
  ASSERT_TRUE((*quality)->AddSample("a", {Constant::Own<int64_t>({1})}).ok());
  const auto shares = (*quality)->Measure(network("[9.0, 9.0, 3.0, 4.0]"));
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ((*shares)[0].share, 0);
  EXPECT_GT((*(*quality)->Measure(network("[1.0, 2.0, 9.0, 9.0]")))[0].share, 0);
}

TEST(NetworkQualityTest, ThreadsMakeNoDifference) {
  EXPECT_EQ(NoiseOf(Network("[99.9, 0.97]"), 1)[0].share,
            NoiseOf(Network("[99.9, 0.97]"), 3)[0].share);
}

TEST(NetworkQualityTest, AChangeIsMeasuredFromWhereItBegins) {
  const auto network = [](absl::string_view weights) {
    return GraphOfBody(absl::StrCat(R"(
      input %x: float32[1x1x2x1]
      const %v: float32[1x1x1x1] = [3.0]
      const %w: float32[2x1x1x1] = )",
                                    weights, R"(
      %a: float32[1x1x2x1] = conv2d(%x, %v) from "a"
      %c: float32[1x1x2x2] = conv2d(%a, %w) from "c"
      %t: float32[1x2x1x2] = transpose(%c) {perm=[0, 3, 1, 2]} from "t"
      output %t
      output %a)"));
  };
  const Graph real = network("[100.0, 1.0]");
  for (const size_t kept_bytes : {NetworkQuality::kKeptBytes, size_t{0}}) {
    auto quality = NetworkQuality::Create(real, 1, kept_bytes);
    ASSERT_TRUE(quality.ok()) << quality.status();
    ASSERT_TRUE((*quality)->AddSample("a", {Constant::Own<float>({1, 2})}).ok());
    NetworkQuality::ChangedNetwork changed{network("[100.0, 0.5]")};
    changed.first = changed.graph.FindTensor("c")->producer;
    const auto noise = (*quality)->MeasureChange(std::move(changed));
    ASSERT_TRUE(noise.ok()) << noise.status();
    ASSERT_EQ(noise->size(), 2u);
    EXPECT_DOUBLE_EQ((*noise)[0].share, 0.125);
    EXPECT_DOUBLE_EQ((*noise)[1].share, 0);
  }
}

TEST(NetworkQualityTest, ANetworkThatComputesNothingIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      NetworkQuality::Create(GraphOfBody("input %x: float32[1]\noutput %x"), 1).status()));
}

}  // namespace
}  // namespace synap_internal
