#include "compiler/quantize/analysis/probe_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compiler/graph/text.h"
#include "compiler/quantize/analysis/tensor_pairs.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kReal[] = R"(
  input %x: float32[4]
  %y: float32[4] = add(%x, %x) from "y"
  %z: float32[4] = add(%y, %y) from "z"
  output %z)";

// %z stays float, and %y is an output in real numbers too.
constexpr char kMixed[] = R"(
  input %x: uint8[4]<affine 1.0 0>
  %y.quantized: uint8[4]<affine 4.0 0> = add(%x, %x) from "y"
  %y: float32[4] = dequantize(%y.quantized) from "y"
  %z: float32[4] = add(%y, %y) from "z"
  output %z)";

TEST(TensorPairsTest, FollowsNamesAndConversions) {
  const Graph real = GraphOfBody(kReal), quantized = GraphOfBody(kMixed);
  const TensorPairs pairs(real, quantized);
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_EQ(pairs.RealOf(quantized.FindTensor(name)), real.FindTensor(name)) << name;
  }
  EXPECT_EQ(pairs.RealOf(quantized.FindTensor("y.quantized")), real.FindTensor("y"));
  EXPECT_TRUE(pairs.IsConversion(*quantized.FindTensor("y")->producer));
  EXPECT_FALSE(pairs.IsConversion(*quantized.FindTensor("z")->producer));
}

TEST(TensorPairsTest, ACastOfTheNetworkIsNoConversion) {
  const Graph real = GraphOfBody(R"(
    input %x: float32[4]
    %y: float16[4] = cast(%x) {to="float16"} from "y"
    output %y)");
  const TensorPairs pairs(real, real);
  EXPECT_FALSE(pairs.IsConversion(real.ops().front()));
}

TEST(ProbeGraphsTest, WhatFeedsFunctionsMayBeMovedOrConvertedOnTheWay) {
  const Graph real = GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = add(%x, %x) from "a"
    %moved: float32[2x2] = reshape(%a) {shape=[2, 2]} from "moved"
    %s: float32[2x2] = sigmoid(%moved) from "s"
    %y: float32[4] = add(%x, %x) from "y"
    output %s
    output %y)");
  const Graph quantized = GraphOfBody(R"(
    input %x: uint8[4]<affine 1.0 0>
    const %t: uint8[256]<affine 0.00390625 0> = splat 0
    %a.bytes: uint8[4]<affine 1.0 0> = add(%x, %x) from "a"
    %a: uint8[4]<affine 2.0 0> = requantize(%a.bytes) from "a"
    %moved: uint8[2x2]<affine 2.0 0> = reshape(%a) {shape=[2, 2]} from "moved"
    %s: uint8[2x2]<affine 0.00390625 0> = lookup(%moved, %t) from "s"
    %y.bytes: uint8[4]<affine 1.0 0> = add(%x, %x) from "y"
    %y: float32[4] = dequantize(%y.bytes) from "y"
    output %s
    output %y)");
  std::map<std::string, bool> feeds_function;
  for (const LayerPair& layer : LossyLayers(quantized, TensorPairs(real, quantized))) {
    feeds_function[layer.real->name] = layer.feeds_function;
  }
  // %y leaves the network: what its range leaves out is lost.
  EXPECT_THAT(feeds_function, ElementsAre(Pair("a", true), Pair("moved", true), Pair("s", false),
                                          Pair("y", false)));
}

TEST(ProbeGraphsTest, IsolatedLayersReadTheFloatNetwork) {
  const Graph real = GraphOfBody(kReal), quantized = GraphOfBody(kMixed);
  const TensorPairs pairs(real, quantized);
  const auto isolated = IsolatedLayers(LossyLayers(quantized, pairs), pairs);
  ASSERT_TRUE(isolated.ok()) << isolated.status();
  EXPECT_THAT(isolated->probes, ElementsAre("y.quantized#1.float32.probe", "z#3"));
  EXPECT_EQ(PrintGraph(isolated->graph), R"(graph "" layout="nchw" {
  input %x: float32[4]
  input %y: float32[4]
  %x.uint8.probe: uint8[4]<affine 1.0 0> = quantize(%x) from "x"
  %"y.quantized#1": uint8[4]<affine 4.0 0> = add(%x.uint8.probe, %x.uint8.probe) from "y"
  %"y.quantized#1.float32.probe": float32[4] = dequantize(%"y.quantized#1") from "y.quantized#1"
  %y.uint8.probe: uint8[4]<affine 4.0 0> = quantize(%y) from "y"
  %"y#2": float32[4] = dequantize(%y.uint8.probe) from "y"
  %"z#3": float32[4] = add(%"y#2", %"y#2") from "z"
}
)");
}

TEST(ProbeGraphsTest, TheNetworkHasTheInputsOfTheFloatOneAndProbes) {
  const Graph real = GraphOfBody("input %x: float32[4]\noutput %x");
  const Graph quantized = GraphOfBody(R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: float16[4] = cast(%x) {to="float16"} from "y"
    %z: float16[4] = add(%y, %y) from "z"
    output %z)");
  const auto network =
      ProbedNetwork(real, quantized, {quantized.FindTensor("y"), quantized.FindTensor("z")});
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_THAT(network->probes, ElementsAre("y.float32.probe", "z.float32.probe"));
  EXPECT_EQ(PrintGraph(network->graph), R"(graph "test" layout="nchw" {
  input %x: float32[4]
  %x.uint8.probe: uint8[4]<affine 1.0 0> = quantize(%x) from "x"
  %y: float16[4] = cast(%x.uint8.probe) {to="float16"} from "y"
  %y.float32.probe: float32[4] = cast(%y) {to="float32"} from "y"
  %z: float16[4] = add(%y, %y) from "z"
  %z.float32.probe: float32[4] = cast(%z) {to="float32"} from "z"
  output %z
}
)");
}

TEST(ProbeGraphsTest, AnInputThatTheModelQuantizedStays) {
  const Graph graph = GraphOfBody(R"(
    input %x: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 1.0 0> = relu(%x) from "y"
    output %y)");
  const auto network = ProbedNetwork(graph, graph, {graph.FindTensor("y")});
  ASSERT_TRUE(network.ok()) << network.status();
  EXPECT_EQ(network->graph.inputs[0]->type, graph.inputs[0]->type);
}

TEST(ProbeGraphsTest, GraphsThatDontBelongTogether) {
  const Graph real = GraphOfBody(kReal);
  const Graph quantized = GraphOfBody(R"(
    input %w: uint8[4]<affine 1.0 0>
    %y: uint8[4]<affine 4.0 0> = add(%w, %w) from "y"
    output %y)");
  const TensorPairs pairs(real, quantized);
  EXPECT_EQ(
      IsolatedLayers(LossyLayers(quantized, pairs), pairs).status().message(),
      "the float graph has no input 'w' of shape 4, expected the graph that was quantized; give "
      "both of one conversion");
}

}  // namespace
}  // namespace synap_internal
