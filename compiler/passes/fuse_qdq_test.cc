#include "compiler/passes/fuse_qdq.h"

#include "compiler/ir/text.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// ExpectPass, but `before` is computed with the weights as floats: no kernel
// dequantizes them when the network runs.
void ExpectFused(absl::string_view before, absl::string_view after) {
  Graph real = GraphOfBody(before), graph = GraphOfBody(before);
  ASSERT_TRUE(FoldConstants(real).ok());
  const absl::StatusOr<int> rewrites = FuseQdq(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_GT(*rewrites, 0);
  ASSERT_TRUE(VerifyGraph(graph).ok()) << VerifyGraph(graph);
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(after)));
  EXPECT_EQ(RunOnRandomInputs(graph), RunOnRandomInputs(real));
}

TEST(FuseQdqTest, LinearOpTakesTheModelsQuantizers) {
  ExpectFused(R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b: float32[2] = [1.0, -2.0]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf, %b) from "c"
    %r: float32[1x2] = relu(%c) from "r"
    %y: uint8[1x2]<affine 2 7> = quantize(%r) from "y"
    output %y)",
              R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b.int32: int32[2]<channel 0 [0.125, 0.5]> = [8, -4]
    %y: uint8[1x2]<affine 2 7> = fully_connected(%x, %w, %b.int32) {max=inf, min=0.0} from "c", "r"
    output %y)");
}

TEST(FuseQdqTest, TransposesAroundTheOpAreNoObstacle) {
  ExpectFused(R"(
    input %x: int8[1x1x2x2]<affine 0.5 -3>
    const %w: uint8[1x1x1x1]<affine 0.25 128> = [132]
    %xf: float32[1x1x2x2] = dequantize(%x) from "xf"
    %wf: float32[1x1x1x1] = dequantize(%w) from "wf"
    %xt: float32[1x2x2x1] = transpose(%xf) {perm=[0, 2, 3, 1]} from "c"
    %wt: float32[1x1x1x1] = transpose(%wf) {perm=[0, 2, 3, 1]} from "c"
    %ct: float32[1x2x2x1] = conv2d(%xt, %wt) from "c"
    %c: float32[1x1x2x2] = transpose(%ct) {perm=[0, 3, 1, 2]} from "c"
    %r: float32[1x1x2x2] = relu(%c) from "r"
    %y: int8[1x1x2x2]<affine 1 -128> = quantize(%r) from "y"
    output %y)",
              R"(
    input %x: int8[1x1x2x2]<affine 0.5 -3>
    const %w.1: uint8[1x1x1x1]<affine 0.25 128> = [132]
    %xt.q: int8[1x2x2x1]<affine 0.5 -3> = transpose(%x) {perm=[0, 2, 3, 1]} from "c"
    %y.nhwc: int8[1x2x2x1]<affine 1 -128> = conv2d(%xt.q, %w.1) {max=inf, min=0.0} from "c", "r"
    %y: int8[1x1x2x2]<affine 1 -128> = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "y"
    output %y)");
}

TEST(FuseQdqTest, MatmulByConstantIsFullyConnected) {
  ExpectFused(R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x3]<channel 1 [0.25, 1.0, 0.5]> = [1, -2, 3, 4, -5, 6]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x3] = dequantize(%w) from "wf"
    %c: float32[1x3] = matmul(%xf, %wf) from "c"
    %y: uint8[1x3]<affine 2 100> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w.2: int8[3x2]<channel 0 [0.25, 1.0, 0.5]> = [1, 4, -2, -5, 3, 6]
    %y: uint8[1x3]<affine 2 100> = fully_connected(%x, %w.2) from "c"
    output %y)");
}

TEST(FuseQdqTest, ConversionsBecomeOneOrNone) {
  ExpectPass(FuseQdq, R"(
    input %x: uint8[4]<affine 0.5 3>
    %f: float32[4] = dequantize(%x) from "f"
    %r: float32[2x2] = reshape(%f) {shape=[2, 2]} from "r"
    %y: uint8[2x2]<affine 0.5 3> = quantize(%r) from "y"
    %z: int8[2x2]<affine 1 3> = quantize(%r) from "z"
    output %y
    output %z)",
             R"(
    input %x: uint8[4]<affine 0.5 3>
    %y: uint8[2x2]<affine 0.5 3> = reshape(%x) {shape=[2, 2]} from "r"
    %z: int8[2x2]<affine 1 3> = requantize(%y) from "z"
    output %y
    output %z)");
}

TEST(FuseQdqTest, WhatHasAFloatOperandStaysFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[2]<affine 0.5 3>
    input %b: float32[2]
    %f: float32[2] = dequantize(%x) from "f"
    %c: float32[2] = add(%f, %b) from "c"
    %y: uint8[2]<affine 2 7> = quantize(%c) from "y"
    output %y)");
}

TEST(FuseQdqTest, ChannelsOfTheWrongAxisStayFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x2]<channel 1 [0.25, 1.0]> = [1, -2, 127, -128]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf) from "c"
    %y: uint8[1x2]<affine 2 7> = quantize(%c) from "y"
    output %y)");
}

TEST(FuseQdqTest, AResultThatIsReadAsFloatToo) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[2]<affine 0.5 3>
    %f: float32[2] = dequantize(%x) from "f"
    %c: float32[2] = tanh(%f) from "c"
    %y: uint8[2]<affine 2 7> = quantize(%c) from "y"
    output %c
    output %y)");
}

}  // namespace
}  // namespace synap_internal
