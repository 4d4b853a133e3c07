#include "compiler/target/placement.h"

#include <string>

#include "compiler/graph/lower.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;

const OpDef& Op(absl::string_view name) {
  const OpDef* op = FindOp(name);
  EXPECT_NE(op, nullptr) << name;
  return *op;
}

TensorType Type(DataType type, std::vector<int64_t> dims) { return {type, Shape(dims), {}}; }

// A convolution of a window of `kernel` by `kernel`.
LayerFacts Convolution(DataType type, int64_t kernel, Attributes attributes) {
  return FactsOf(Op("conv2d"),
                 {Type(type, {1, 32, 32, 8}), Type(type, {16, kernel, kernel, 8}),
                  Type(DataType::kInt32, {16})},
                 {Type(type, {1, 32, 32, 16})}, attributes);
}

TEST(PlacementTest, KindsFollowFromTraits) {
  EXPECT_EQ(KindOf(Op("conv2d")), LayerKind::kConvolution);
  EXPECT_EQ(KindOf(Op("depthwise_conv2d")), LayerKind::kDepthwiseConvolution);
  EXPECT_EQ(KindOf(Op("conv_transpose2d")), LayerKind::kTransposedConvolution);
  EXPECT_EQ(KindOf(Op("fully_connected")), LayerKind::kFullyConnected);
  EXPECT_EQ(KindOf(Op("matmul")), LayerKind::kMatrixProduct);
  EXPECT_EQ(KindOf(Op("max_pool2d")), LayerKind::kPooling);
  EXPECT_EQ(KindOf(Op("avg_pool2d")), LayerKind::kPooling);
  EXPECT_EQ(KindOf(Op("sub")), LayerKind::kAddition);
  EXPECT_EQ(KindOf(Op("mul")), LayerKind::kArithmetic);
  EXPECT_EQ(KindOf(Op("sigmoid")), LayerKind::kActivation);
  EXPECT_EQ(KindOf(Op("lookup")), LayerKind::kActivation);
  EXPECT_EQ(KindOf(Op("transpose")), LayerKind::kMovement);
  EXPECT_EQ(KindOf(Op("dequantize")), LayerKind::kConversion);
  EXPECT_EQ(KindOf(Op("softmax")), LayerKind::kSoftmax);
  EXPECT_EQ(KindOf(Op("resize")), LayerKind::kOther);
}

TEST(PlacementTest, LayersHaveTheNamesOfAProfile) {
  EXPECT_EQ(LayerTypeOf(Op("conv2d")), "ConvolutionReluPoolingLayer2");
  EXPECT_EQ(LayerTypeOf(Op("fully_connected")), "FullyConnectedReluLayer");
  EXPECT_EQ(LayerTypeOf(Op("softmax")), "Softmax2Layer");
  EXPECT_EQ(LayerTypeOf(Op("transpose")), "TensorTranspose");
  EXPECT_EQ(LayerTypeOf(Op("reduce_mean")), "TensorReduceMean");
}

TEST(PlacementTest, FactsAreThoseOfTheWindowAndOfWhatFlows) {
  const LayerFacts facts = Convolution(
      DataType::kUint8, 5,
      {{"strides", std::vector<int64_t>{1, 2}}, {"dilations", std::vector<int64_t>{3, 1}}});
  EXPECT_EQ(facts.kind, LayerKind::kConvolution);
  EXPECT_THAT(facts.types, ElementsAre(DataType::kUint8));  // not the bias's
  EXPECT_EQ(facts.kernel, 5);
  EXPECT_EQ(facts.stride, 2);
  EXPECT_EQ(facts.dilation, 3);
  EXPECT_EQ(facts.rank, 4);
}

TEST(PlacementTest, IntegersRunOnTheCoresAndFloatsOnThePpu) {
  const Target& target = DefaultTarget();
  const Placement integer = PlaceLayer(target, Convolution(DataType::kInt8, 3, {}));
  EXPECT_EQ(integer.engine, Engine::kNn);
  EXPECT_EQ(integer.reason, "the NN is the first engine that runs layers of the kind convolution");
  const Placement real = PlaceLayer(target, Convolution(DataType::kFloat16, 3, {}));
  EXPECT_EQ(real.engine, Engine::kPpu);
  EXPECT_EQ(real.reason, "the NN computes uint8, int8 and int16, not float16");
}

TEST(PlacementTest, AStrideTakesTheTensorProcessorToo) {
  const Placement strided = PlaceLayer(
      DefaultTarget(), Convolution(DataType::kUint8, 3, {{"strides", std::vector<int64_t>{2, 2}}}));
  EXPECT_EQ(strided.engine, Engine::kNn);
  EXPECT_EQ(strided.helper, Engine::kTp);
  EXPECT_EQ(strided.reason,
            "the stride is above 1, so that the tensor processor rearranges the input");
}

TEST(PlacementTest, WhatTheNpuHasNoTypeForRunsOnTheCpu) {
  const LayerFacts facts = FactsOf(Op("transpose"), {Type(DataType::kInt64, {2, 3})},
                                   {Type(DataType::kInt64, {3, 2})}, {});
  const Placement placed = PlaceLayer(DefaultTarget(), facts);
  EXPECT_EQ(placed.engine, Engine::kCpu);
  EXPECT_THAT(placed.reason, testing::EndsWith("not int64"));
}

TEST(PlacementTest, OnlyAllowedEnginesAreUsed) {
  const Placement placed = PlaceLayer(DefaultTarget(), Convolution(DataType::kFloat32, 3, {}),
                                      [](Engine engine) { return engine == Engine::kGpu; });
  EXPECT_EQ(placed.engine, Engine::kGpu);
}

TEST(PlacementTest, ProgramsGetTheNamesOfLayersAndEngines) {
  const auto lowered = LowerGraph(GraphOfBody(R"(
    input %x: float32[1x4]
    const %w: float32[2x4] = [1, 2, 3, 4, 5, 6, 7, 8]
    %y: float32[1x2] = fully_connected(%x, %w) from "y"
    %z: float32[1x2] = relu(%y) from "z"
    output %z)"));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  Program& program = (*lowered)->program;
  NameLayers(DefaultTarget(), PlaceProgram(DefaultTarget(), program), program);
  EXPECT_EQ(program.target, "VS680");
  EXPECT_EQ(program.instructions[0].layer_type, "FullyConnectedReluLayer");
  EXPECT_EQ(program.instructions[0].engine, "PPU");
  EXPECT_EQ(program.instructions[1].layer_type, "TensorRelu");
}

}  // namespace
}  // namespace synap_internal
