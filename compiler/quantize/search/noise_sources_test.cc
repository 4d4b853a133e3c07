#include "compiler/quantize/search/noise_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;

constexpr char kReal[] = R"(
  input %x: float32[1x1x1x2]
  const %w: float32[2x1x1x2] = [1.0, 0.0, 0.0, 1.0]
  %a: float32[1x1x1x2] = conv2d(%x, %w) from "a"
  %m: float32[1x2] = reshape(%a) {shape=[1, 2]} from "m"
  %b: float32[1x2] = add(%m, %m) from "b"
  %c: float32[1x2] = add(%b, %b) from "c"
  output %c)";

// %w's first weight becomes 0.9 and %a, moved as %m, gets steps of 4. %b loses nothing in its type.
constexpr char kNarrow[] = R"(
  input %x: float32[1x1x1x2]
  const %w: float32[2x1x1x2] = [0.9, 0.0, 0.0, 1.0]
  %a.real: float32[1x1x1x2] = conv2d(%x, %w) from "a"
  %a: uint8[1x1x1x2]<affine 4.0 0> = quantize(%a.real) from "a"
  %m: uint8[1x2]<affine 4.0 0> = reshape(%a) {shape=[1, 2]} from "m"
  %b: uint8[1x2]<affine 1.0 0> = add(%m, %m) from "b"
  %c: float32[1x2] = dequantize(%b) from "c"
  output %c)";

std::vector<NoiseSource> Sources(int threads) {
  const Graph real = GraphOfBody(kReal), narrow = GraphOfBody(kNarrow);
  auto quality = NetworkQuality::Create(real, 1);
  EXPECT_TRUE(quality.ok()) << quality.status();
  EXPECT_TRUE((*quality)->AddSample("s", {Constant::Own<float>({10, 20})}).ok());
  double done = 0;
  const auto sources = MeasureNoiseSources(real, narrow, GroupLayers(real), **quality, threads,
                                           [&](double part) { done = part; });
  EXPECT_TRUE(sources.ok()) << sources.status();
  EXPECT_EQ(done, 1);
  return *sources;
}

TEST(NoiseSourcesTest, WeightsAndTensorsThatAreRounded) {
  // 10 becomes 9, or 8 in steps of 4; the signal is 100 + 400.
  const auto share = [](double expected) {
    return Field(&NoiseSource::shares, ElementsAre(DoubleNear(expected, 1e-6)));
  };
  const auto groups = [](auto matcher) { return Field(&NoiseSource::groups, matcher); };
  EXPECT_THAT(Sources(1), ElementsAre(AllOf(groups(ElementsAre(0)), share(1.0 / 500)),
                                      AllOf(groups(ElementsAre(0, 1)), share(4.0 / 500)),
                                      AllOf(groups(ElementsAre(1, 2)), share(0))));
}

TEST(NoiseSourcesTest, ThreadsMakeNoDifference) {
  const std::vector<NoiseSource> one = Sources(1), three = Sources(3);
  ASSERT_EQ(one.size(), three.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].shares, three[i].shares);
}

}  // namespace
}  // namespace synap_internal
