#include "compiler/quantization/quantize_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

using testing::ElementsAre;

Graph Quantized(absl::string_view body, std::map<std::string, ValueRange> ranges) {
  Graph graph = GraphOfBody(body);
  const absl::Status status = QuantizeGraph(ranges, DataType::kUint8, graph);
  EXPECT_TRUE(status.ok()) << status;
  return graph;
}

const Op& Only(const Graph& graph, absl::string_view name) {
  const Op* found = nullptr;
  for (const Op& op : graph.ops()) {
    if (op.Is(name)) found = &op;
  }
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// Two channels, the second with weights a tenth as large.
constexpr absl::string_view kLastLayer = R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.27, -0.5, 0.127, 0.1]
    const %b: float32[2] = [0.5, -0.25]
    %c: float32[1x1x1x2] = conv2d(%x, %w, %b) from "c"
    %r: float32[2] = reshape(%c) {shape=[2]} from "r"
    output %r)";

TEST(QuantizeGraphTest, ALastLayersWeightsHaveAScaleForEachChannel) {
  const Graph graph = Quantized(kLastLayer, {{"x", {0, 255}}, {"c", {-1, 1}}, {"r", {-1, 1}}});
  const Op& conv = Only(graph, "conv2d");
  const Tensor& w = *conv.inputs[1];
  EXPECT_EQ(w.type.dtype, DataType::kInt8);
  ASSERT_EQ(w.type.quant.scheme, QuantScheme::kPerChannelSymmetric);
  EXPECT_NEAR(w.type.quant.scales[0], 0.01f, 1e-6f);
  EXPECT_NEAR(w.type.quant.scales[1], 0.001f, 1e-7f);
  EXPECT_THAT(w.values<int8_t>(), ElementsAre(127, -50, 127, 100));
  EXPECT_THAT(conv.inputs[2]->values<int32_t>(), ElementsAre(50, -250));  // x's scale is 1
}

TEST(QuantizeGraphTest, ALayerInsideHasOneScale) {
  const Graph graph = Quantized(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.27, -0.5, 0.127, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "c"
    %s: float32[1x1x1x2] = sigmoid(%c) from "s"
    output %s)",
                                {{"x", {0, 255}}, {"c", {-1, 1}}, {"s", {0, 1}}});
  const Tensor& w = *Only(graph, "conv2d").inputs[1];
  EXPECT_EQ(w.type.dtype, DataType::kUint8);
  EXPECT_EQ(w.type.quant.scheme, QuantScheme::kAsymmetricAffine);
}

TEST(QuantizeGraphTest, ALayerSplitIntoOutputsIsALastOne) {
  const Graph graph = Quantized(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.27, -0.5, 0.127, 0.1]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "c"
    %a: float32[1x1x1x1] = slice(%c) {starts=[0, 0, 0, 0], sizes=[1, 1, 1, 1]} from "a"
    %b: float32[1x1x1x1] = slice(%c) {starts=[0, 0, 0, 1], sizes=[1, 1, 1, 1]} from "b"
    output %a
    output %b)",
                                {{"x", {0, 255}}, {"c", {-1, 1}}, {"a", {-1, 1}}, {"b", {-1, 1}}});
  EXPECT_EQ(Only(graph, "conv2d").inputs[1]->type.dtype, DataType::kInt8);
}

TEST(QuantizeGraphTest, AChannelOfTinyWeightsKeepsItsBias) {
  const Graph graph = Quantized(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1, 1, 1e-9, 0]
    const %b: float32[2] = [0.5, -4.6]
    %c: float32[1x1x1x2] = conv2d(%x, %w, %b) from "c"
    output %c)",
                                {{"x", {0, 1}}, {"c", {-5, 5}}});
  const Op& conv = Only(graph, "conv2d");
  const Tensor& bias = *conv.inputs[2];
  for (size_t c = 0; c < 2; ++c) {
    const auto value = static_cast<float>(bias.values<int32_t>()[c]) * bias.type.quant.scales[c];
    EXPECT_NEAR(value, c == 0 ? 0.5f : -4.6f, 1e-4f);
    EXPECT_LT(std::abs(bias.values<int32_t>()[c]), 1 << 29);
  }
}

}  // namespace
}  // namespace synap
