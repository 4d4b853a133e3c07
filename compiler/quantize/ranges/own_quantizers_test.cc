#include "compiler/quantize/ranges/own_quantizers.h"

#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

Graph PartlyQuantized() {
  return GraphOfBody(R"(
    input %x: float32[4]
    %xq: uint8[4]<affine 0.5 3> = quantize(%x) from "xq"
    %a: uint8[4]<affine 0.25 3> = relu(%xq) from "a"
    %d: float32[4] = dequantize(%a) from "d"
    %b: float32[4] = tanh(%d) from "b"
    %i: int64[4] = cast(%b) {to="int64"} from "i"
    output %b
    output %i)");
}

TEST(OwnQuantizersTest, ConversionsAndLayersOfIntegersAreTheModels) {
  const Graph graph = PartlyQuantized();
  const OwnQuantizers own(graph);
  EXPECT_TRUE(own.Has(*graph.FindTensor("a")));
  EXPECT_FALSE(own.Has(*graph.FindTensor("d")));
  for (const char* name : {"xq", "a", "d"}) EXPECT_TRUE(own.Has(*graph.FindTensor(name)->producer));
  for (const char* name : {"b", "i"}) EXPECT_FALSE(own.Has(*graph.FindTensor(name)->producer));
}

TEST(OwnQuantizersTest, FloatsMeetTheModelsIntegersAtConversions) {
  const Graph graph = PartlyQuantized();
  const OwnQuantizers own(graph);
  EXPECT_EQ(own.IntegersOf(*graph.FindTensor("d")), graph.FindTensor("a"));
  EXPECT_EQ(own.IntegersOf(*graph.FindTensor("x")), nullptr);
  ASSERT_NE(own.TypeOf(*graph.FindTensor("d")), nullptr);
  EXPECT_EQ(*own.TypeOf(*graph.FindTensor("d")), graph.FindTensor("a")->type);
  ASSERT_NE(own.TypeOf(*graph.FindTensor("x")), nullptr);
  EXPECT_EQ(*own.TypeOf(*graph.FindTensor("x")), graph.FindTensor("xq")->type);
  EXPECT_EQ(own.TypeOf(*graph.FindTensor("b")), nullptr);
  EXPECT_TRUE(own.ReadNoOther(*graph.FindTensor("x")));
  EXPECT_FALSE(own.ReadNoOther(*graph.FindTensor("d")));
  EXPECT_FALSE(own.ReadNoOther(*graph.FindTensor("i")));
}

TEST(OwnQuantizersTest, LayersAreCountedWithoutConversions) {
  const LayerCounts counts = CountLayers(PartlyQuantized());
  EXPECT_EQ(counts.own, 1);
  EXPECT_EQ(counts.real, 1);
  const Graph real = GraphOfBody(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "a"
    output %a)");
  EXPECT_EQ(CountLayers(real).own, 0);
  EXPECT_EQ(CountLayers(real).real, 1);
}

}  // namespace
}  // namespace synap_internal
