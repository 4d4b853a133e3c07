#include "compiler/target/layer_work.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "compiler/graph/lower.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The work of the last op of a graph.
std::vector<std::string> WorkOfLast(absl::string_view body) {
  const Graph graph = GraphOfBody(body);
  std::vector<std::string> lines;
  for (const LayerWork& work : WorkOf(graph.ops().back())) lines.push_back(PrintWork(work));
  return lines;
}

constexpr absl::string_view kConvolution = R"(
    input %x: float32[1x8x8x4]
    const %w: float32[6x1x1x4] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    %y: float32[1x$x$x6] = conv2d(%x, %w) {$}
    output %y)";

std::string Convolution(absl::string_view side, absl::string_view attributes) {
  return absl::Substitute(absl::StrReplaceAll(kConvolution, {{"$x$", "$0x$0"}, {"{$}", "{$1}"}}),
                          side, attributes);
}

TEST(LayerWorkTest, AConvolutionSumsAndMovesItsTensors) {
  EXPECT_THAT(WorkOfLast(Convolution("8", "pads=[0, 0, 0, 0]")),
              ElementsAre("convolution float32 macs=1536 channels=6 weights=24 tensors=256+384"));
}

TEST(LayerWorkTest, AStrideRearrangesTheInputFirst) {
  EXPECT_THAT(WorkOfLast(Convolution("4", "strides=[2, 2]")),
              ElementsAre("convolution float32 macs=384 channels=6 weights=24 tensors=256+96",
                          "copy float32 elements=256 part"));
}

TEST(LayerWorkTest, AFusedFunctionIsALayerOfItsOwnButNotARelu) {
  EXPECT_THAT(WorkOfLast(Convolution("8", "activation=\"silu\"")),
              ElementsAre("convolution float32 macs=1536 channels=6 weights=24 tensors=256+384",
                          "function float32 elements=384"));
  EXPECT_EQ(WorkOfLast(Convolution("8", "max=6.0, min=0.0")).size(), 1u);
}

TEST(LayerWorkTest, ALayerOfBytesAddsItsResidualIn16Bits) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: uint8[1x2]<affine 0.5 10>
    input %r: int16[1x2]<fixed 8>
    const %w: uint8[2x2]<affine 0.25 3> = [100, 200, 90, 7]
    %y: int16[1x2]<fixed 5> = fully_connected(%x, %w, _, _, %r) {own_scale=0.015625}
    output %y)"),
              ElementsAre("convolution uint8 macs=4 channels=2 weights=4 tensors=2+2",
                          "stream int16 elements=2 tensors=2+2+2"));
}

TEST(LayerWorkTest, ANormalizationIsAProductOfWhatItReads) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: int16[2x4]<affine 0.5 0>
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %y: uint8[2x4]<affine 0.5 10> = normalization(%x, %s) {axes=[1]}
    output %y)"),
              ElementsAre("product int16 elements=8"));
}

TEST(LayerWorkTest, APictureIsScaledOrItsColoursAreMixed) {
  constexpr absl::string_view kPicture = R"(
    input %y: uint8[1x4x4x1]
    input %uv: uint8[1x2x2x2]
    %z: float32[1x$0x4x3] = image_to_tensor(%y, %uv) {mean=[0.0], scale=[1.0], size=[$0, 4], type="nv12"}
    output %z)";
  EXPECT_THAT(WorkOfLast(absl::Substitute(kPicture, 2)),
              ElementsAre("interpolation float32 elements=24"));
  EXPECT_THAT(WorkOfLast(absl::Substitute(kPicture, 4)),
              ElementsAre("product float32 elements=144"));
}

TEST(LayerWorkTest, DepthwiseConvolutionsKeepTheirStride) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[2x4x4x2]
    const %w: float32[1x2x2x2] = [1, 2, 3, 4, 5, 6, 7, 8]
    %y: float32[2x2x2x2] = depthwise_conv2d(%x, %w) {strides=[2, 2]}
    output %y)"),
              ElementsAre("depthwise float32 macs=64 window=4 channels=2 weights=8 pictures=2 "
                          "tensors=64+16"));
}

TEST(LayerWorkTest, ChannelsOfPicturesAreJoinedByAddresses) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x2x2x2]
    %y: float32[1x2x2x4] = concat(%x, %x) {axis=3}
    output %y)"),
              IsEmpty());
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x4x2]
    %y: float32[1x4x4] = concat(%x, %x) {axis=2}
    output %y)"),
              ElementsAre("scatter float32 elements=16"));
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x4x2]
    %y: float32[8] = reshape(%x) {shape=[8]}
    output %y)"),
              IsEmpty());
}

TEST(LayerWorkTest, ATransposeAcrossRowsScatters) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x40x40x2x16]
    %y: float32[1x2x40x40x16] = transpose(%x) {perm=[0, 3, 1, 2, 4]}
    output %y)"),
              ElementsAre("scatter float32 elements=51200"));
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x40x40x2x16]
    %y: float32[1x40x2x40x16] = transpose(%x) {perm=[0, 1, 3, 2, 4]}
    output %y)"),
              ElementsAre("copy float32 elements=51200"));
}

TEST(LayerWorkTest, ElementwiseOpsAreSortedByTheirTraits) {
  const auto unary = [](absl::string_view op) {
    return WorkOfLast(
        absl::StrCat("input %x: float32[1x2x2x2]\n%y: float32[1x2x2x2] = ", op, "(%x)\noutput %y"));
  };
  EXPECT_THAT(unary("relu"), ElementsAre("stream float32 elements=8 tensors=8+8"));
  EXPECT_THAT(unary("sigmoid"), ElementsAre("function float32 elements=8"));
  const auto binary = [](absl::string_view op) {
    return WorkOfLast(absl::StrCat("input %x: float32[1x2x2x2]\ninput %z: float32[1x2x2x2]\n",
                                   "%y: float32[1x2x2x2] = ", op, "(%x, %z)\noutput %y"));
  };
  EXPECT_THAT(binary("add"), ElementsAre("stream float32 elements=8 tensors=8+8+8"));
  EXPECT_THAT(binary("mul"), ElementsAre("product float32 elements=8"));
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x2x2x2]
    %y: float32[1x4x4x2] = resize(%x) {coordinates="half_pixel", mode="linear", size=[4, 4]}
    output %y)"),
              ElementsAre("interpolation float32 elements=32"));
}

TEST(LayerWorkTest, ConstantSlopesAreAppliedByTheConvolution) {
  EXPECT_THAT(WorkOfLast(R"(
    input %x: float32[1x2x2x2]
    const %slope: float32[2] = [0.5, 0.25]
    %y: float32[1x2x2x2] = prelu(%x, %slope)
    output %y)"),
              IsEmpty());
}

TEST(LayerWorkTest, AProgramHasTheWorkOfItsGraph) {
  const Graph graph = GraphOfBody(Convolution("4", "strides=[2, 2]"));
  const auto lowered = LowerGraph(graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const Program& program = (*lowered)->program;
  EXPECT_EQ(WorkOf(program, program.instructions.back()), WorkOf(graph.ops().back()));
}

TEST(LayerWorkTest, WhatIsPrintedCanBeRead) {
  LayerWork work;
  work.kind = WorkKind::kDepthwise;
  work.type = DataType::kInt16;
  work.macs = 1;
  work.window = 9;
  work.channels = 3;
  work.weights = 27;
  work.elements = 5;
  work.pictures = 4;
  work.is_layer = false;
  work.tensors = {7, 8};
  const absl::StatusOr<LayerWork> read = ParseWork(PrintWork(work));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, work);
}

TEST(LayerWorkTest, WordsThatAreNotUnderstoodAreNamed) {
  for (const char* line :
       {"walk uint8", "stream uint9", "stream uint8 macs=x", "stream uint8 far"}) {
    EXPECT_FALSE(ParseWork(line).ok()) << line;
  }
  EXPECT_EQ(ParseWork("stream uint8 far").status().message(),
            "'far' isn't known in the work of a layer");
}

}  // namespace
}  // namespace synap_internal
