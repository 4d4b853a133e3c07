#include "compiler/passes/fuse_residuals.h"

#include "compiler/testing/pass_test.h"
#include "gtest/gtest.h"

namespace synap {
namespace {

TEST(FuseResidualsTest, TheClampBehindTheSumComesAlong) {
  ExpectPass(FuseResiduals, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x2x1] = conv2d(%x, %w) {max=4.0} from "conv"
    %y: float32[1x2x2x1] = add(%c, %x) {min=0.0} from "sum"
    output %y)",
             R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [3.0]
    %y: float32[1x2x2x1] = conv2d(%x, %w, _, _, %x) {max=4.0, sum_min=0.0} from "conv", "sum"
    output %y)");
}

TEST(FuseResidualsTest, BytesKeepTheQuantizerInBetween) {
  ExpectPass(FuseResiduals, R"(
    input %x: uint8[1x1x4x1]<affine 0.5 10>
    const %w: uint8[1x1x1x1]<affine 0.25 3> = [200]
    const %b: int32[1]<affine 0.125 0> = [7]
    %c: uint8[1x1x4x1]<affine 30.0 128> = depthwise_conv2d(%x, %w, %b) from "conv"
    %y: uint8[1x1x4x1]<affine 40.0 7> = add(%x, %c) {min=0.0, max=6000.0} from "sum"
    output %y)",
             R"(
    input %x: uint8[1x1x4x1]<affine 0.5 10>
    const %w: uint8[1x1x1x1]<affine 0.25 3> = [200]
    const %b: int32[1]<affine 0.125 0> = [7]
    %y: uint8[1x1x4x1]<affine 40.0 7> = depthwise_conv2d(%x, %w, %b, _, %x) {own_scale=30.0, own_zero_point=128, sum_max=6000.0, sum_min=0.0} from "conv", "sum"
    output %y)");
}

TEST(FuseResidualsTest, TheLaterOfTwoLinearOpsTakesTheSum) {
  ExpectPass(FuseResiduals, R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %b: float32[1x2] = fully_connected(%x, %w) from "b"
    %y: float32[1x2] = add(%b, %a) from "y"
    output %y)",
             R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %y: float32[1x2] = fully_connected(%x, %w, _, _, %a) from "b", "y"
    output %y)");
}

TEST(FuseResidualsTest, AnOpMovesBehindWhatItAdds) {
  ExpectPass(FuseResiduals, R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %s: float32[1x2] = silu(%x) from "s"
    %y: float32[1x2] = add(%a, %s) from "y"
    output %y)",
             R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %s: float32[1x2] = silu(%x) from "s"
    %y: float32[1x2] = fully_connected(%x, %w, _, _, %s) from "a", "y"
    output %y)");
}

TEST(FuseResidualsTest, ChainsOfSumsTakeOneEach) {
  ExpectPass(FuseResiduals, R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %s: float32[1x2] = add(%a, %x) from "s"
    %b: float32[1x2] = fully_connected(%s, %w) from "b"
    %y: float32[1x2] = add(%s, %b) from "y"
    %z: float32[1x2] = add(%y, %x) from "z"
    output %z)",
             R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %s: float32[1x2] = fully_connected(%x, %w, _, _, %x) from "a", "s"
    %y: float32[1x2] = fully_connected(%s, %w, _, _, %s) from "b", "y"
    %z: float32[1x2] = add(%y, %x) from "z"
    output %z)");
}

TEST(FuseResidualsTest, WhatIsReadTwiceOrBroadcastOrFloat16Stays) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %y: float32[1x2] = add(%a, %a) from "y"
    output %y)");
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: float32[2x2]
    input %r: float32[2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[2x2] = fully_connected(%x, %w) from "a"
    %y: float32[2x2] = add(%a, %r) from "y"
    output %y)");
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: float16[1x2]
    const %w: float16[2x2] = splat 15360
    %a: float16[1x2] = fully_connected(%x, %w) from "a"
    %y: float16[1x2] = add(%a, %x) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap
