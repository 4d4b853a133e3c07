#include "compiler/graph/passes/fuse_residuals.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FuseResidualsTest, TheClampOfTheSumComesAlong) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x2x2x1]<fixed 8>
    const %w: int16[1x1x1x1]<fixed 10> = [3000]
    %c: int16[1x2x2x1]<fixed 6> = conv2d(%x, %w) {max=4.0} from "conv"
    %y: int16[1x2x2x1]<fixed 7> = add(%c, %x) {max=90.0, min=0.0} from "sum"
    output %y)",
             R"(
    input %x: int16[1x2x2x1]<fixed 8>
    const %w: int16[1x1x1x1]<fixed 10> = [3000]
    %y: int16[1x2x2x1]<fixed 7> = conv2d(%x, %w, _, _, %x) {max=4.0, own_scale=0.015625, own_zero_point=0, sum_max=90.0, sum_min=0.0} from "conv", "sum"
    output %y)");
}

TEST(FuseResidualsTest, AffineQuantizers) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x1x4x1]<affine 0.5 10>
    const %w: int16[1x1x1x1]<affine 0.25 0> = [200]
    %c: int16[1x1x4x1]<affine 30.0 128> = depthwise_conv2d(%x, %w) from "conv"
    %y: int16[1x1x4x1]<affine 40.0 -7> = add(%x, %c) from "sum"
    output %y)",
             R"(
    input %x: int16[1x1x4x1]<affine 0.5 10>
    const %w: int16[1x1x1x1]<affine 0.25 0> = [200]
    %y: int16[1x1x4x1]<affine 40.0 -7> = depthwise_conv2d(%x, %w, _, _, %x) {own_scale=30.0, own_zero_point=128} from "conv", "sum"
    output %y)");
}

TEST(FuseResidualsTest, ALayerOfBytesAddsAResidualOf16Bits) {
  ExpectPass(FuseResiduals, R"(
    input %x: uint8[1x2]<affine 0.5 10>
    input %r: int16[1x2]<fixed 8>
    const %w: uint8[2x2]<affine 0.25 3> = [100, 200, 90, 7]
    %a: int16[1x2]<fixed 6> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 5> = add(%a, %r) from "y"
    output %y)",
             R"(
    input %x: uint8[1x2]<affine 0.5 10>
    input %r: int16[1x2]<fixed 8>
    const %w: uint8[2x2]<affine 0.25 3> = [100, 200, 90, 7]
    %y: int16[1x2]<fixed 5> = fully_connected(%x, %w, _, _, %r) {own_scale=0.015625, own_zero_point=0} from "a", "y"
    output %y)");
}

TEST(FuseResidualsTest, TheLaterOfTwoLinearOpsTakesTheSum) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %b: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "b"
    %y: int16[1x2]<fixed 7> = add(%b, %a) from "y"
    output %y)",
             R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = fully_connected(%x, %w, _, _, %a) {own_scale=0.001953125, own_zero_point=0} from "b", "y"
    output %y)");
}

TEST(FuseResidualsTest, AnOpMovesAfterTheOperandThatItAdds) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %s: int16[1x2]<fixed 8> = silu(%x) from "s"
    %y: int16[1x2]<fixed 7> = add(%a, %s) from "y"
    output %y)",
             R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %s: int16[1x2]<fixed 8> = silu(%x) from "s"
    %y: int16[1x2]<fixed 7> = fully_connected(%x, %w, _, _, %s) {own_scale=0.001953125, own_zero_point=0} from "a", "y"
    output %y)");
}

TEST(FuseResidualsTest, ChainsOfSumsTakeOneEach) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %s: int16[1x2]<fixed 8> = add(%a, %x) from "s"
    %b: int16[1x2]<fixed 9> = fully_connected(%s, %w) from "b"
    %y: int16[1x2]<fixed 7> = add(%s, %b) from "y"
    %z: int16[1x2]<fixed 7> = add(%y, %x) from "z"
    output %z)",
             R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %s: int16[1x2]<fixed 8> = fully_connected(%x, %w, _, _, %x) {own_scale=0.001953125, own_zero_point=0} from "a", "s"
    %y: int16[1x2]<fixed 7> = fully_connected(%s, %w, _, _, %s) {own_scale=0.001953125, own_zero_point=0} from "b", "y"
    %z: int16[1x2]<fixed 7> = add(%y, %x) from "z"
    output %z)");
}

TEST(FuseResidualsTest, OperandsThatAreReadTwiceOrBroadcastStay) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = add(%a, %a) from "y"
    output %y)");
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[2x2]<fixed 8>
    input %r: int16[2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[2x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[2x2]<fixed 7> = add(%a, %r) from "y"
    output %y)");
}

TEST(FuseResidualsTest, OtherTypesStay) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[1x2] = fully_connected(%x, %w) from "a"
    %y: float32[1x2] = add(%a, %x) from "y"
    output %y)");
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: uint8[1x2]<affine 0.5 10>
    const %w: uint8[2x2]<affine 0.25 3> = [1, 2, 3, 4]
    %a: uint8[1x2]<affine 0.5 10> = fully_connected(%x, %w) from "a"
    %y: uint8[1x2]<affine 0.5 10> = add(%a, %x) from "y"
    output %y)");
}

TEST(FuseResidualsTest, OperandsOfAnotherTypeThanTheSumStay) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: uint8[1x2]<affine 0.5 10>
    const %w: uint8[2x2]<affine 0.25 3> = [1, 2, 3, 4]
    %a: uint8[1x2]<affine 0.5 10> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = add(%a, %x) from "y"
    output %y)");
}

TEST(FuseResidualsTest, AnOutputStays) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = add(%a, %x) from "y"
    output %y
    output %a)");
}

TEST(FuseResidualsTest, AResultThatAnotherOpReadsStays) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %s: int16[1x2]<fixed 7> = add(%a, %x) from "s"
    %y: int16[1x2]<fixed 7> = maximum(%s, %a) from "y"
    output %y)");
}

TEST(FuseResidualsTest, OtherProducersAndOpsStay) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2x3x1]<fixed 8>
    const %w: int16[1x1x1x1]<fixed 10> = [3000]
    %t: int16[1x2x3x1]<fixed 9> = conv_transpose2d(%x, %w) from "t"
    %s: int16[1x2x3x1]<fixed 7> = add(%t, %x) from "s"
    %c: int16[1x2x3x1]<fixed 9> = conv2d(%s, %w) from "c"
    %y: int16[1x2x3x1]<fixed 7> = sub(%c, %x) from "y"
    output %y)");
}

TEST(FuseResidualsTest, AResidualOfLessRankStays) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    input %r: int16[2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = add(%r, %a) from "y"
    output %y)");
}

TEST(FuseResidualsTest, ALinearOpAddsOnce) {
  ExpectNoRewrite(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w, _, _, %x) {own_scale=0.5, own_zero_point=0} from "a"
    %y: int16[1x2]<fixed 7> = add(%a, %x) from "y"
    output %y)");
}

TEST(FuseResidualsTest, TheLaterOfTwoLinearOpsMayComeSecond) {
  ExpectPass(FuseResiduals, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %b: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "b"
    %y: int16[1x2]<fixed 7> = add(%a, %b) from "y"
    output %y)",
             R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[2x2]<fixed 10> = [100, -200, 900, 7]
    %a: int16[1x2]<fixed 9> = fully_connected(%x, %w) from "a"
    %y: int16[1x2]<fixed 7> = fully_connected(%x, %w, _, _, %a) {own_scale=0.001953125, own_zero_point=0} from "b", "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
