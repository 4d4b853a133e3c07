#include "compiler/quantize/search/bias_correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/ranges/quantize_graph.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

// The second channels' weights are less than half a step of the first ones': they vanish.
constexpr absl::string_view kTwoLayers = R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [2.55, 0.004]
    const %b: float32[2] = [0.0, 0.0]
    const %v: float32[2x1x1x2] = [1.0, 100.0, 0.0, 100.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w, %b) from "c"
    %s: float32[1x2x2x2] = relu(%c) from "s"
    %d: float32[1x2x2x2] = conv2d(%s, %v) from "d"
    %t: float32[1x2x2x2] = relu(%d) from "t"
    output %t)";

absl::Status Samples(const SampleUse& use) {
  const absl::Status status = use("a", {Constant::Own<float>({90, 100, 110, 100})});
  return status.ok() ? use("b", {Constant::Own<float>({100, 100, 120, 80})}) : status;
}

Graph Quantized() {
  Graph graph = GraphOfBody(kTwoLayers);
  const RangesByBits ranges{{{"x", {0, 255}},
                             {"c", {0, 650.25}},
                             {"s", {0, 650.25}},
                             {"d", {0, 25500}},
                             {"t", {0, 25500}}},
                            {}};
  Warnings warnings;
  const absl::Status status = QuantizeGraph(ranges, LayerPrecisions(Precision{}), graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

// The bias, in real numbers, of the layer that makes `output`; 0 if it has none.
float BiasOf(const Graph& graph, absl::string_view output, size_t channel) {
  const Tensor* bias = graph.FindTensor(output)->producer->input(2);
  if (bias == nullptr) return 0;
  return static_cast<float>(bias->values<int32_t>()[channel]) *
         bias->type.quant.scales[channel % bias->type.quant.scales.size()];
}

TEST(BiasCorrectionTest, ABiasMakesUpForTheMeanThatRoundedWeightsLose) {
  const Graph real = GraphOfBody(kTwoLayers);
  Graph graph = Quantized();
  EXPECT_EQ(BiasOf(graph, "c", 1), 0);
  const absl::Status status = CorrectBiases(real, Samples, BiasCorrection::kFast, 1, graph);
  ASSERT_TRUE(status.ok()) << status;
  // The mean of x is 100.
  EXPECT_NEAR(BiasOf(graph, "c", 0), 0, 0.3);
  EXPECT_NEAR(BiasOf(graph, "c", 1), 0.4, 0.01);
}

TEST(BiasCorrectionTest, FastTakesTheFloatNetworksOperandsAndFullTheQuantizedOnes) {
  const Graph real = GraphOfBody(kTwoLayers);
  Graph fast = Quantized(), full = Quantized();
  ASSERT_TRUE(CorrectBiases(real, Samples, BiasCorrection::kFast, 1, fast).ok());
  ASSERT_TRUE(CorrectBiases(real, Samples, BiasCorrection::kFull, 1, full).ok());
  EXPECT_FLOAT_EQ(BiasOf(fast, "c", 1), BiasOf(full, "c", 1));
  // 0.4 for channel 1 is a sixth of a step of %s and is rounded to 0 there, 40 short after %v.
  EXPECT_NEAR(BiasOf(fast, "d", 1), 0, 0.5);
  EXPECT_NEAR(BiasOf(full, "d", 1), 40, 0.5);
}

TEST(BiasCorrectionTest, ATapCountsWhereItIsNotInThePadding) {
  // A kernel of 3x3 in an image of 2x2: of four positions, its corners read a pixel at one, its
  // sides at two, its middle at all. The last channel makes the steps of the weights coarse.
  const Graph real = GraphOfBody(R"(
      input %x: float32[1x2x2x1]
      const %w: float32[2x3x3x1] = [0.013, -0.024, 0.006, 0.018, -0.007, 0.011, -0.002, 0.014, 0.026,
                                    2.55, 0, 0, 0, 0, 0, 0, 0, 0]
      %c: float32[1x2x2x2] = conv2d(%x, %w) {pads=[1, 1, 1, 1]} from "c"
      output %c)");
  Graph graph = real.Clone();
  const RangesByBits ranges{{{"x", {0, 255}}, {"c", {-25.5, 255}}}, {}};
  Warnings warnings;
  ASSERT_TRUE(QuantizeGraph(ranges, LayerPrecisions(Precision{}), graph, warnings).ok());
  const auto all_100 = [](const SampleUse& use) {
    return use("a", {Constant::Own<float>({100, 100, 100, 100})});
  };
  ASSERT_TRUE(CorrectBiases(real, all_100, BiasCorrection::kFast, 1, graph).ok());
  const auto weights = real.FindTensor("w")->values<float>();
  const Constant stored = Dequantized(*graph.FindTensor("c")->producer->inputs[1]);
  const auto* there = reinterpret_cast<const float*>(stored.bytes.data());
  const float parts[] = {0.25f, 0.5f, 0.25f, 0.5f, 1, 0.5f, 0.25f, 0.5f, 0.25f};
  float missing = 0, without_padding = 0;
  for (size_t i = 0; i < 9; ++i) {
    missing += 100 * (weights[i] - there[i]) * parts[i];
    without_padding += 100 * (weights[i] - there[i]);
  }
  EXPECT_GT(std::abs(missing - without_padding), 0.1);
  EXPECT_NEAR(BiasOf(graph, "c", 0), missing, 0.01);
}

TEST(BiasCorrectionTest, ThreadsMakeNoDifference) {
  const Graph real = GraphOfBody(kTwoLayers);
  Graph one = Quantized(), three = Quantized();
  ASSERT_TRUE(CorrectBiases(real, Samples, BiasCorrection::kFull, 1, one).ok());
  ASSERT_TRUE(CorrectBiases(real, Samples, BiasCorrection::kFull, 3, three).ok());
  for (const size_t channel : {0, 1}) {
    EXPECT_EQ(BiasOf(one, "d", channel), BiasOf(three, "d", channel));
  }
}

TEST(BiasCorrectionTest, AnErrorOfASampleIsReturned) {
  const Graph real = GraphOfBody(kTwoLayers);
  Graph graph = Quantized();
  const auto broken = [](const SampleUse&) { return absl::NotFoundError("a.jpg: no such file"); };
  EXPECT_EQ(CorrectBiases(real, broken, BiasCorrection::kFast, 1, graph).message(),
            "a.jpg: no such file");
}

}  // namespace
}  // namespace synap_internal
