#include "compiler/graph/passes/fuse_scale_bias.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// A product is rounded once more or less.
constexpr float kTolerance = 1e-6f;

TEST(FuseScaleBiasTest, ScalesEachOutputChannelOfAConvolution) {
  ExpectPass(FuseScaleBias, R"(
    input %x: float32[1x3x4x2]
    const %w: float32[3x1x2x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    const %b: float32[3] = [1.0, -2.0, 3.0]
    const %s: float32[3] = [2.0, 0.5, -4.0]
    const %t: float32[1x1x3] = [10.0, 20.0, 30.0]
    %c: float32[1x3x3x3] = conv2d(%x, %w, %b) from "conv"
    %m: float32[1x3x3x3] = mul(%c, %s) from "scale"
    %y: float32[1x3x3x3] = add(%t, %m) from "shift"
    output %y)",
             R"(
    input %x: float32[1x3x4x2]
    const %w.1.bias: float32[3] = [12.0, 19.0, 18.0]
    const %w.1.1: float32[3x1x2x2] = [2.0, 4.0, 6.0, 8.0, 2.5, 3.0, 3.5, 4.0, -36.0, -40.0, -44.0, -48.0]
    %y: float32[1x3x3x3] = conv2d(%x, %w.1.1, %w.1.bias) from "conv", "scale", "shift"
    output %y)",
             kTolerance);
}

TEST(FuseScaleBiasTest, ScalesEachChannelOfADepthwiseConvolution) {
  ExpectPass(FuseScaleBias, R"(
    input %x: float32[1x4x3x3]
    const %w: float32[1x2x1x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    const %s: float32[1x1x1x3] = [2.0, 0.5, -4.0]
    %c: float32[1x3x3x3] = depthwise_conv2d(%x, %w) from "conv"
    %y: float32[1x3x3x3] = mul(%s, %c) from "scale"
    output %y)",
             R"(
    input %x: float32[1x4x3x3]
    const %w.bias: float32[3] = [0.0, 0.0, 0.0]
    const %w.1: float32[1x2x1x3] = [2.0, 1.0, -12.0, 8.0, 2.5, -24.0]
    %y: float32[1x3x3x3] = depthwise_conv2d(%x, %w.1, %w.bias) from "conv", "scale"
    output %y)",
             kTolerance);
}

TEST(FuseScaleBiasTest, ScalesATransposedConvolution) {
  ExpectPass(FuseScaleBias, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[2x1x2x1] = [1.0, 2.0, 3.0, 4.0]
    const %s: float32[2] = [2.0, 0.5]
    %c: float32[1x2x4x2] = conv_transpose2d(%x, %w) from "conv"
    %y: float32[1x2x4x2] = div(%c, %s) from "scale"
    output %y)",
             R"(
    input %x: float32[1x2x3x1]
    const %w.bias: float32[2] = [0.0, 0.0]
    const %w.1: float32[2x1x2x1] = [0.5, 1.0, 6.0, 8.0]
    %y: float32[1x2x4x2] = conv_transpose2d(%x, %w.1, %w.bias) from "conv", "scale"
    output %y)",
             kTolerance);
}

TEST(FuseScaleBiasTest, ShiftsAFullyConnectedOpByAScalar) {
  ExpectPass(FuseScaleBias, R"(
    input %x: float32[5x3]
    const %w: float32[2x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    const %b: float32[2] = [1.0, -2.0]
    const %t: float32[1x1] = [0.25]
    %c: float32[5x2] = fully_connected(%x, %w, %b) from "fc"
    %y: float32[5x2] = sub(%c, %t) from "shift"
    output %y)",
             R"(
    input %x: float32[5x3]
    const %w.bias: float32[2] = [0.75, -2.25]
    const %w.1: float32[2x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    %y: float32[5x2] = fully_connected(%x, %w.1, %w.bias) from "fc", "shift"
    output %y)",
             kTolerance);
}

TEST(FuseScaleBiasTest, OtherReadersOfTheWeightsKeepThem) {
  ExpectPass(FuseScaleBias, R"(
    input %x: float32[1x1x3x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    const %s: float32[2] = [2.0, 0.5]
    %c: float32[1x1x3x2] = conv2d(%x, %w) from "c"
    %y: float32[1x1x3x2] = mul(%c, %s) from "y"
    %z: float32[1x1x3x2] = conv2d(%x, %w) from "z"
    output %y
    output %z)",
             R"(
    input %x: float32[1x1x3x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    const %w.bias: float32[2] = [0.0, 0.0]
    const %w.1: float32[2x1x1x2] = [2.0, 4.0, 1.5, 2.0]
    %y: float32[1x1x3x2] = conv2d(%x, %w.1, %w.bias) from "c", "y"
    %z: float32[1x1x3x2] = conv2d(%x, %w) from "z"
    output %y
    output %z)",
             kTolerance);
}

// `scaled` is %y, made of %c = `linear`: ops over an image %x with the weights %w, those of other
// channels %v, computed ones %cw, and factors: %s for each channel, %rows and %columns.
void ExpectStays(absl::string_view linear, absl::string_view scaled) {
  ExpectNoRewrite(FuseScaleBias, absl::StrCat(R"(
    input %x: float32[1x2x3x3]
    input %cw: float32[3x1x1x3]
    input %cb: float32[3]
    const %w: float32[3x1x1x3] = splat 2.0
    const %s: float32[3] = [2.0, 0.5, -4.0]
    const %rows: float32[1x2x1x1] = [2.0, 0.5]
    const %columns: float32[3x1] = [2.0, 0.5, 4.0]
    const %all: float32[3x3] = splat 2.0
    const %choice: bool[3] = [1, 0, 1]
    %c: float32[1x2x3x3] = )",
                                              linear, R"( from "c"
    %y: float32[1x2x3x3] = )",
                                              scaled, R"( from "y"
    output %y
    output %w
    output %s
    output %rows
    output %columns
    output %all
    output %choice)"));
}

TEST(FuseScaleBiasTest, AResultThatAnotherOpReadsIsNotScaled) {
  ExpectNoRewrite(FuseScaleBias, R"(
    input %x: float32[1x1x3x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    const %s: float32[2] = [2.0, 0.5]
    %c: float32[1x1x3x2] = conv2d(%x, %w) from "c"
    %m: float32[1x1x3x2] = mul(%c, %s) from "m"
    %r: float32[1x1x3x2] = neg(%c) from "r"
    output %m
    output %r)");
}

TEST(FuseScaleBiasTest, AnOutputIsNotScaled) {
  ExpectNoRewrite(FuseScaleBias, R"(
    input %x: float32[1x1x3x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    const %s: float32[2] = [2.0, 0.5]
    %c: float32[1x1x3x2] = conv2d(%x, %w) from "c"
    %m: float32[1x1x3x2] = mul(%c, %s) from "m"
    output %m
    output %c)");
}

TEST(FuseScaleBiasTest, ASquareIsNoScale) { ExpectStays("conv2d(%x, %w)", "mul(%c, %c)"); }

TEST(FuseScaleBiasTest, ConstantsMinusOrOverTheResultStay) {
  ExpectStays("conv2d(%x, %w)", "sub(%s, %c)");
  ExpectStays("conv2d(%x, %w)", "div(%s, %c)");
}

TEST(FuseScaleBiasTest, OtherFunctionsStay) {
  ExpectStays("conv2d(%x, %w)", "maximum(%c, %s)");
  ExpectStays("conv2d(%x, %w)", "where(%choice, %c, %s)");
}

TEST(FuseScaleBiasTest, ConstantsAlongOtherDimensionsStay) {
  ExpectStays("conv2d(%x, %w)", "mul(%c, %rows)");
  ExpectStays("conv2d(%x, %w)", "mul(%c, %columns)");
  ExpectStays("conv2d(%x, %w)", "mul(%c, %all)");
  ExpectStays("conv2d(%x, %w)", "add(%columns, %c)");
}

TEST(FuseScaleBiasTest, AConstantThatSpreadsTheResultStays) {
  ExpectNoRewrite(FuseScaleBias, R"(
    input %x: float32[1x3]
    const %w: float32[2x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    const %t: float32[1x1x1] = [0.25]
    %c: float32[1x2] = fully_connected(%x, %w) from "fc"
    %y: float32[1x1x2] = add(%c, %t) from "y"
    output %y)");
}

TEST(FuseScaleBiasTest, ComputedOperandsStay) {
  ExpectStays("conv2d(%x, %w)", "mul(%c, %cb)");
  ExpectStays("conv2d(%x, %w)", "add(%x, %c)");
}

TEST(FuseScaleBiasTest, ALinearOpWithAClampStays) {
  ExpectStays("conv2d(%x, %w) {min=0.0}", "mul(%c, %s)");
  ExpectStays("conv2d(%x, %w) {max=6.0}", "add(%c, %s)");
  ExpectStays("conv2d(%x, %w) {max=6.0, min=0.0}", "add(%c, %s)");
}

TEST(FuseScaleBiasTest, AScaleWithAClampStays) {
  ExpectStays("conv2d(%x, %w)", "mul(%c, %s) {min=0.0}");
  ExpectStays("conv2d(%x, %w)", "add(%c, %s) {max=6.0}");
  ExpectStays("conv2d(%x, %w)", "mul(%c, %s) {max=6.0, min=0.0}");
}

TEST(FuseScaleBiasTest, ALinearOpWithAnEpilogueStays) {
  ExpectStays("conv2d(%x, %w) {activation=\"elu\"}", "mul(%c, %s)");
  ExpectStays("conv2d(%x, %w, _, _, %x)", "mul(%c, %s)");
}

TEST(FuseScaleBiasTest, OtherProducersStay) { ExpectStays("neg(%x)", "mul(%c, %s)"); }

// Parsing alone: there is no kernel for computed weights.
TEST(FuseScaleBiasTest, ComputedWeightsStay) {
  for (const char* linear : {"conv2d(%x, %cw)", "conv2d(%x, %w, %cb)"}) {
    ExpectStays(linear, "mul(%c, %s)");
  }
}

TEST(FuseScaleBiasTest, QuantizedOpsStay) {
  ExpectNoRewrite(FuseScaleBias, R"(
    input %x: uint8[1x1x3x1]<affine 0.5 100>
    const %w: uint8[2x1x1x1]<affine 0.25 100> = [90, 120]
    const %s: uint8[2]<affine 0.5 0> = [1, 2]
    %c: uint8[1x1x3x2]<affine 0.5 100> = conv2d(%x, %w) from "c"
    %y: uint8[1x1x3x2]<affine 0.5 100> = mul(%c, %s) from "y"
    output %y)");
}

TEST(FuseScaleBiasTest, FloatsDontScaleIntegers) {
  ExpectNoRewrite(FuseScaleBias, R"(
    input %x: int16[1x1x3x1]<fixed 8>
    const %w: int16[2x1x1x1]<fixed 8> = [90, 120]
    const %s: float32[2] = [0.5, 2.0]
    %c: int16[1x1x3x2]<fixed 8> = conv2d(%x, %w) from "c"
    %y: int16[1x1x3x2]<fixed 8> = mul(%c, %s) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
