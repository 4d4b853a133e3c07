#include "compiler/graph/passes/wide_outputs.h"

#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(WideOutputsTest, TheLastConvolutionGives16BitsWithRoomAboveTheRangeOf8) {
  ExpectPass(WideOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    const %b: int32[1]<affine 0.0002 0> = [50]
    %c: uint8[1x2x2x1]<affine 0.05 128> = conv2d(%x, %w, %b) {min=-1.5} from "c"
    %r: uint8[4]<affine 0.05 128> = reshape(%c) {shape=[4]} from "r"
    %y: float32[4] = dequantize(%r) from "r"
    output %y)",
             R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    const %b: int32[1]<affine 0.0002 0> = [50]
    %c: int16[1x2x2x1]<fixed 11> = conv2d(%x, %w, %b) {min=-1.5} from "c"
    %r: int16[4]<fixed 11> = reshape(%c) {shape=[4]} from "r"
    %y: float32[4] = dequantize(%r) from "r"
    output %y)",
             0.02f);
}

TEST(WideOutputsTest, WhatAConcatReadsHasItsQuantizerAtOnce) {
  ExpectPass(WideOutputs, R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %t: uint8[1x1x1x1]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %s: uint8[1x1x1x1]<affine 0.00392157 0> = sigmoid(%c) from "s"
    %k: uint8[1x1x1x2]<affine 0.02 128> = concat(%s, %t) {axis=3} from "k"
    %y: float32[1x1x1x2] = dequantize(%k) from "k"
    output %y)",
             R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %t: uint8[1x1x1x1]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: int16[1x1x1x1]<fixed 11> = conv2d(%x, %w) from "c"
    %s: int16[1x1x1x1]<fixed 12> = sigmoid(%c) from "s"
    %k.input: int16[1x1x1x1]<fixed 12> = requantize(%t) from "k"
    %k: int16[1x1x1x2]<fixed 12> = concat(%s, %k.input) {axis=3} from "k"
    %y: float32[1x1x1x2] = dequantize(%k) from "k"
    output %y)",
             0.02f);
}

TEST(WideOutputsTest, ScoresBesideBoxesOfAnotherSizeBecomeFloat32) {
  ExpectPass(WideOutputs, R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %t: uint8[1x1x1x1]<affine 2.5 0>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %s: uint8[1x1x1x1]<affine 0.00392157 0> = sigmoid(%c) from "s"
    %k: uint8[1x1x1x2]<affine 2.5 0> = concat(%s, %t) {axis=3} from "k"
    %y: float32[1x1x1x2] = dequantize(%k) from "k"
    output %y)",
             R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %t: uint8[1x1x1x1]<affine 2.5 0>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: int16[1x1x1x1]<fixed 11> = conv2d(%x, %w) from "c"
    %s: int16[1x1x1x1]<fixed 14> = sigmoid(%c) from "s"
    %k.input: float32[1x1x1x1] = dequantize(%s) from "k"
    %k.input.1: float32[1x1x1x1] = dequantize(%t) from "k"
    %y: float32[1x1x1x2] = concat(%k.input, %k.input.1) {axis=3} from "k"
    output %y)",
             0.02f);
}

// The concat's step is 1 / 16: parts of less than 255 * 4 / 16 = 63.75 are too narrow.
TEST(WideOutputsTest, TheLimitOfPartsIsThatOfTheirRangeIn8Bits) {
  constexpr absl::string_view kJoin = R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %t: uint8[1x1x1x1]<affine 2.5 0>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine $0 128> = conv2d(%x, %w) from "c"
    %k: uint8[1x1x1x2]<affine 2.5 0> = concat(%c, %t) {axis=3} from "k"
    %y: float32[1x1x1x2] = dequantize(%k) from "k"
    output %y)";
  const auto type_of_concat = [&](absl::string_view scale) {
    Graph graph = GraphOfBody(absl::Substitute(kJoin, scale));
    EXPECT_TRUE(WideOutputs(graph).ok());
    return graph.ops().back().Is(Movement::kConcat) ? DataType::kFloat32 : DataType::kInt16;
  };
  EXPECT_EQ(type_of_concat("0.49"), DataType::kFloat32);  // 62.7, though 125 with room above it
  EXPECT_EQ(type_of_concat("0.51"), DataType::kInt16);    // 65.3
}

TEST(WideOutputsTest, ADepthwiseLayerBecomesFloat32) {
  ExpectPass(WideOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x2x2x2]<affine 0.05 128> = depthwise_conv2d(%x, %w) from "c"
    %y: float32[1x2x2x2] = dequantize(%c) from "c"
    output %y)",
             R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w.float32: float32[1x1x1x2] = [-2.0, 2.0]
    %c.input: float32[1x2x2x2] = dequantize(%x) from "c"
    %y: float32[1x2x2x2] = depthwise_conv2d(%c.input, %w.float32) from "c"
    output %y)",
             0.03f);
}

TEST(WideOutputsTest, ConstantsBecome16Bits) {
  ExpectPass(WideOutputs, R"(
    input %x: uint8[1x2]<affine 0.01 128>
    const %w: uint8[2x2]<affine 0.02 100> = [0, 200, 100, 50]
    const %a: uint8[1x2]<affine 0.5 0> = [1, 255]
    %c: uint8[1x2]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %m: uint8[1x2]<affine 1 128> = mul(%c, %a) from "m"
    %y: float32[1x2] = dequantize(%m) from "m"
    output %y)",
             R"(
    input %x: uint8[1x2]<affine 0.01 128>
    const %w: uint8[2x2]<affine 0.02 100> = [0, 200, 100, 50]
    const %a.int16: int16[1x2]<fixed 8> = [128, 32640]
    %c: int16[1x2]<fixed 11> = fully_connected(%x, %w) from "c"
    %m: int16[1x2]<fixed 6> = mul(%c, %a.int16) from "m"
    %y: float32[1x2] = dequantize(%m) from "m"
    output %y)",
             0.02f);
}

TEST(WideOutputsTest, KeepsTensorsThatAreOutputs) {
  ExpectNoRewrite(WideOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x2x2x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %y: float32[1x2x2x1] = dequantize(%c) from "c"
    output %y
    output %c)");
}

}  // namespace
}  // namespace synap_internal
