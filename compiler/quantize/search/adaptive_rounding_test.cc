#include "compiler/quantize/search/adaptive_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/fidelity.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/ranges/layer_precision.h"
#include "compiler/quantize/ranges/quantize_graph.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

// Between -1 and 1, times `size`.
std::vector<float> Values(size_t count, float size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = size * (static_cast<float>(random()) / static_cast<float>(std::mt19937::max()) * 2 - 1);
  }
  return values;
}

std::string Weights(absl::string_view name, absl::string_view shape,
                    const std::vector<float>& values) {
  return absl::StrCat("const %", name, ": float32[", shape, "] = [", absl::StrJoin(values, ", "),
                      "]\n");
}

// [8, 3, 3, 8]: two large weights of each tap, which make steps coarse and rounding costly, add up
// to nothing over inputs that are equal.
std::vector<float> CoarseWeights() {
  std::vector<float> values = Values(8 * 9 * 8, 0.3f, 1);
  for (size_t tap = 0; tap < 8 * 9; ++tap) {
    values[tap * 8] = 5;
    values[tap * 8 + 2] = -5;
  }
  return values;
}

// A convolution of equal channels, with a clamp, a depthwise one, one of groups, and a fully
// connected layer.
Graph SmallNetwork() {
  return GraphOfBody(absl::StrCat(
      "input %x: float32[1x8x8x2]\n", Weights("w1", "8x3x3x8", CoarseWeights()),
      "const %b1: float32[8] = [0.1, 0.2, 0.3, 0.4, -0.1, -0.2, -0.3, -0.4]\n",
      Weights("w2", "1x3x3x8", Values(72, 0.3f, 3)), Weights("w3", "8x1x1x4", Values(32, 0.5f, 4)),
      Weights("w4", "4x8", Values(32, 0.5f, 5)),
      "%a: float32[1x8x8x8] = concat(%x, %x, %x, %x) {axis=3} from \"a\"\n"
      "%c: float32[1x8x8x8] = conv2d(%a, %w1, %b1) {pads=[1, 1, 1, 1], min=0.0} from \"c\"\n"
      "%d: float32[1x6x6x8] = depthwise_conv2d(%c, %w2) from \"d\"\n"
      "%e: float32[1x6x6x8] = conv2d(%d, %w3) {groups=2, min=0.0} from \"e\"\n"
      "%f: float32[1x6x6x4] = fully_connected(%e, %w4) from \"f\"\n"
      "output %f"));
}

// Pictures of a brightness and some noise.
absl::Status Show(uint32_t first, uint32_t count, const SampleUse& use) {
  for (uint32_t i = first; i < first + count; ++i) {
    std::vector<float> sample = Values(8 * 8 * 2, 0.5f, 100 + i);
    const float brightness = Values(1, 0.5f, 200 + i)[0] + 0.5f;
    for (float& value : sample) value += brightness;
    const absl::Status status = use(absl::StrCat(i), {Constant::Own(std::move(sample))});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

constexpr uint32_t kSamples = 8;
constexpr auto kByChannel = QuantizationScheme::kPerchannelSymmetricAffine;

absl::Status Samples(const SampleUse& use) { return Show(0, kSamples, use); }
absl::Status OtherSamples(const SampleUse& use) { return Show(kSamples, 8, use); }

Graph QuantizedNetwork(const Graph& real, const Precision& precision,
                       const SampleSource& samples = Samples) {
  RangesByBits ranges;
  const absl::Status observed = ObserveSamples(
      real, samples, 1, [&](const std::string& name, const Shape&, absl::Span<const float> values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        ValueRange& range = ranges.bits8[name];
        range = {std::min(range.min, *least), std::max(range.max, *most)};
      });
  EXPECT_TRUE(observed.ok()) << observed;
  Graph graph = real.Clone();
  Warnings warnings;
  const absl::Status status = QuantizeGraph(ranges, LayerPrecisions(precision), graph, warnings);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

std::vector<std::vector<float>> Outputs(const Graph& graph, const std::string& name) {
  std::vector<std::vector<float>> outputs;
  const absl::Status status =
      ObserveSamples(graph, OtherSamples, 1,
                     [&](const std::string& tensor, const Shape&, absl::Span<const float> values) {
                       if (tensor == name) outputs.emplace_back(values.begin(), values.end());
                     });
  EXPECT_TRUE(status.ok()) << status;
  return outputs;
}

// Of the output, over samples that nothing was chosen by.
double SqnrDb(const Graph& real, const Graph& quantized) {
  const auto probed = ProbedNetwork(real, quantized, {quantized.outputs[0]});
  EXPECT_TRUE(probed.ok()) << probed.status();
  const auto expected = Outputs(real, real.outputs[0]->name);
  const auto found = Outputs(probed->graph, probed->probes[0]);
  EXPECT_EQ(expected.size(), found.size());
  Fidelity fidelity;
  for (size_t i = 0; i < expected.size(); ++i) fidelity.Add(expected[i], found[i]);
  return fidelity.SqnrDb();
}

RoundingOptions Options(bool correct_biases, int threads, Rounding rounding = Rounding::kAdaptive) {
  RoundingOptions options;
  options.rounding = rounding;
  options.samples = kSamples;
  options.correct_biases = correct_biases;
  options.threads = threads;
  return options;
}

TEST(AdaptiveRoundingTest, TheNetworkComesNearerToTheFloatOne) {
  const Graph real = SmallNetwork();
  for (const bool channelwise : {false, true}) {
    const Precision precision =
        channelwise ? PrecisionOf(DataType::kInt8, kByChannel) : PrecisionOf(DataType::kUint8);
    const Graph balanced = QuantizedNetwork(real, precision);
    for (const bool correct_biases : {false, true}) {
      Graph adapted = balanced.Clone();
      const auto layers = AdaptRounding(real, Samples, Options(correct_biases, 1), adapted);
      ASSERT_TRUE(layers.ok()) << layers.status();
      EXPECT_EQ(*layers, 4);
      EXPECT_GT(SqnrDb(real, adapted), SqnrDb(real, balanced) + 1) << channelwise << correct_biases;
    }
  }
}

TEST(AdaptiveRoundingTest, TheNetworkComesNearerToTheFloatOneInEachWay) {
  const Graph real = SmallNetwork();
  for (const Rounding rounding : {Rounding::kSecondOrder, Rounding::kAuto}) {
    for (const bool channelwise : {false, true}) {
      const Precision precision =
          channelwise ? PrecisionOf(DataType::kInt8, kByChannel) : PrecisionOf(DataType::kUint8);
      const Graph balanced = QuantizedNetwork(real, precision);
      for (const bool correct_biases : {false, true}) {
        Graph adapted = balanced.Clone();
        const auto layers =
            AdaptRounding(real, Samples, Options(correct_biases, 1, rounding), adapted);
        ASSERT_TRUE(layers.ok()) << layers.status();
        EXPECT_EQ(*layers, 4);
        EXPECT_GT(SqnrDb(real, adapted), SqnrDb(real, balanced) + 1)
            << Name(rounding) << channelwise << correct_biases;
      }
    }
  }
}

// The bytes of the weights of the layer that makes `output`.
std::vector<uint8_t> WeightBytes(const Graph& graph, const char* output) {
  const auto bytes = graph.FindTensor(output)->producer->inputs[1]->constant->bytes;
  return {bytes.begin(), bytes.end()};
}

TEST(AdaptiveRoundingTest, AutoTakesTheBetterForEachChannel) {
  // One layer, so that both ways see the same operands.
  const Graph real = GraphOfBody(
      absl::StrCat("input %x: float32[1x8x8x2]\n", Weights("w", "16x3x3x2", Values(288, 0.3f, 8)),
                   "%y: float32[1x8x8x16] = conv2d(%x, %w) {pads=[1, 1, 1, 1]} from \"y\"\n"
                   "output %y"));
  const Graph balanced = QuantizedNetwork(real, PrecisionOf(DataType::kUint8));
  std::map<Rounding, std::vector<uint8_t>> weights;
  for (const Rounding rounding : {Rounding::kAdaptive, Rounding::kSecondOrder, Rounding::kAuto}) {
    Graph graph = balanced.Clone();
    ASSERT_TRUE(AdaptRounding(real, Samples, Options(false, 1, rounding), graph).ok());
    weights[rounding] = WeightBytes(graph, "y");
  }
  int adaptive = 0, second_order = 0;
  for (size_t c = 0; c < 16; ++c) {
    const auto same = [&](Rounding rounding) {
      return std::equal(weights[rounding].begin() + 18 * c,
                        weights[rounding].begin() + 18 * (c + 1),
                        weights[Rounding::kAuto].begin() + 18 * c);
    };
    EXPECT_TRUE(same(Rounding::kAdaptive) || same(Rounding::kSecondOrder)) << c;
    adaptive += same(Rounding::kAdaptive);
    second_order += same(Rounding::kSecondOrder);
  }
  EXPECT_GT(adaptive, 0);
  EXPECT_GT(second_order, 0);
}

TEST(AdaptiveRoundingTest, WeightsStayBetweenTheIntegersAroundThem) {
  const Graph real = SmallNetwork();
  Graph graph = QuantizedNetwork(real, PrecisionOf(DataType::kUint8));
  ASSERT_TRUE(AdaptRounding(real, Samples, Options(false, 1), graph).ok());
  for (const Op& op : graph.ops()) {
    if (op.def->weight_channels < 0) continue;
    const Tensor& stored = *op.inputs[1];
    const auto weights = real.FindTensor(op.output()->name)->producer->inputs[1]->values<float>();
    const Constant there = Dequantized(stored);
    const auto* values = reinterpret_cast<const float*>(there.bytes.data());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(values[i], weights[i], 1.001f * stored.type.quant.scale());
    }
  }
}

TEST(AdaptiveRoundingTest, ThreadsMakeNoDifference) {
  const Graph real = SmallNetwork();
  const Graph balanced = QuantizedNetwork(real, PrecisionOf(DataType::kInt8, kByChannel));
  for (const Rounding rounding : {Rounding::kAdaptive, Rounding::kSecondOrder, Rounding::kAuto}) {
    Graph one = balanced.Clone(), three = balanced.Clone();
    ASSERT_TRUE(AdaptRounding(real, Samples, Options(true, 1, rounding), one).ok());
    ASSERT_TRUE(AdaptRounding(real, Samples, Options(true, 3, rounding), three).ok());
    EXPECT_NE(PrintGraph(one), PrintGraph(balanced));
    EXPECT_EQ(PrintGraph(one), PrintGraph(three));
  }
}

TEST(AdaptiveRoundingTest, WeightsOfSeveralLayersStayAsTheyAre) {
  const Graph real = GraphOfBody(
      absl::StrCat("input %x: float32[1x8x8x2]\n", Weights("w", "2x2", Values(4, 0.3f, 1)),
                   "%y: float32[1x8x8x2] = fully_connected(%x, %w) from \"y\"\n"
                   "%z: float32[1x8x8x2] = fully_connected(%y, %w) from \"z\"\n"
                   "output %z"));
  const Graph balanced = QuantizedNetwork(real, PrecisionOf(DataType::kUint8));
  Graph graph = balanced.Clone();
  const auto layers = AdaptRounding(real, Samples, Options(false, 1), graph);
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_EQ(*layers, 0);
  EXPECT_EQ(PrintGraph(graph), PrintGraph(balanced));
}

TEST(AdaptiveRoundingTest, LayersWhoseSumsAreNotFiniteStayAsTheyAre) {
  // The clamp of %y hides sums beyond float32.
  const Graph real = GraphOfBody(absl::StrCat(
      "input %x: float32[1x8x8x2]\n", Weights("w", "2x2", {2e38f, 2e38f, 1e38f, 2e38f}),
      Weights("v", "2x2", Values(4, 0.3f, 1)),
      "const %b: float32[2] = [1.0, 2.0]\n"
      "%y: float32[1x8x8x2] = fully_connected(%x, %w, %b) {min=0.0, max=6.0} from \"y\"\n"
      "%z: float32[1x8x8x2] = fully_connected(%x, %v, %b) from \"z\"\n"
      "output %y\noutput %z"));
  const Graph balanced = QuantizedNetwork(real, PrecisionOf(DataType::kUint8));
  Graph graph = balanced.Clone();
  const auto layers = AdaptRounding(real, Samples, Options(true, 1), graph);
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_EQ(*layers, 1);
  const auto operands = [](const Graph& of, const char* output) {
    const Op& op = *of.FindTensor(output)->producer;
    return std::make_pair(op.inputs[1]->constant->bytes, op.inputs[2]->constant->bytes);
  };
  EXPECT_EQ(operands(graph, "y"), operands(balanced, "y"));
  EXPECT_NE(operands(graph, "z"), operands(balanced, "z"));
}

TEST(AdaptiveRoundingTest, LayersOfFewPositionsShareARun) {
  // 8 patches of 4096 elements each; two layers' of 4096 positions would be too many for a run.
  const Graph real = GraphOfBody(
      absl::StrCat("input %x: float32[1x4096]\n", Weights("w", "2x4096", Values(8192, 0.3f, 1)),
                   Weights("v", "2x4096", Values(8192, 0.3f, 2)),
                   "%y: float32[1x2] = fully_connected(%x, %w) from \"y\"\n"
                   "%z: float32[1x2] = fully_connected(%x, %v) from \"z\"\n"
                   "output %y\noutput %z"));
  int runs = 0;
  const auto samples = [&](const SampleUse& use) {
    ++runs;
    for (uint32_t i = 0; i < kSamples; ++i) {
      const absl::Status status = use(absl::StrCat(i), {Constant::Own(Values(4096, 1, i))});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  };
  Graph graph = QuantizedNetwork(real, PrecisionOf(DataType::kUint8), samples);
  runs = 0;
  const auto layers = AdaptRounding(real, samples, Options(false, 1), graph);
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_EQ(*layers, 2);
  EXPECT_EQ(runs, 2);  // one of the float network, one for both layers
}

TEST(AdaptiveRoundingTest, AnErrorOfASampleIsReturned) {
  const Graph real = SmallNetwork();
  Graph graph = QuantizedNetwork(real, PrecisionOf(DataType::kUint8));
  const auto broken = [](const SampleUse&) { return absl::NotFoundError("a.jpg: no such file"); };
  EXPECT_EQ(AdaptRounding(real, broken, Options(false, 1), graph).status().message(),
            "a.jpg: no such file");
}

}  // namespace
}  // namespace synap_internal
