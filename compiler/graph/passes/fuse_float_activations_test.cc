#include "compiler/graph/passes/fuse_float_activations.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FuseFloatActivationsTest, TakesTheAttributesAlong) {
  ExpectPass(FuseFloatActivations, R"(
    input %x: float32[2x3]
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, -2.0, 0.5]
    %c: float32[2x2] = fully_connected(%x, %w) {max=2.0} from "fc"
    %y: float32[2x2] = elu(%c) {alpha=0.5} from "act"
    output %y)",
             R"(
    input %x: float32[2x3]
    const %w: float32[2x3] = [1.0, 2.0, 3.0, -1.0, -2.0, 0.5]
    %y: float32[2x2] = fully_connected(%x, %w) {activation="elu", activation_alpha=0.5, max=2.0} from "fc", "act"
    output %y)");
}

TEST(FuseFloatActivationsTest, OneForEachLinearOp) {
  ExpectPass(FuseFloatActivations, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x2x1] = depthwise_conv2d(%x, %w) from "conv"
    %a: float32[1x2x2x1] = silu(%c) from "a"
    %y: float32[1x2x2x1] = tanh(%a) from "b"
    output %y)",
             R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [3.0]
    %a: float32[1x2x2x1] = depthwise_conv2d(%x, %w) {activation="silu"} from "conv", "a"
    %y: float32[1x2x2x1] = tanh(%a) from "b"
    output %y)");
}

TEST(FuseFloatActivationsTest, ASumThatSomethingElseReadsStays) {
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x2x1] = conv2d(%x, %w) from "conv"
    %s: float32[1x2x2x1] = silu(%c) from "s"
    %y: float32[1x2x2x1] = add(%s, %c) from "y"
    output %y)");
}

TEST(FuseFloatActivationsTest, QuantizedOpsHaveTables) {
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: uint8[1x2]<affine 0.5 10>
    const %w: uint8[1x2]<affine 0.5 0> = [1, 2]
    %c: uint8[1x1]<affine 1.0 0> = fully_connected(%x, %w) from "fc"
    %y: uint8[1x1]<affine 1.0 0> = silu(%c) from "y"
    output %y)");
}

TEST(FuseFloatActivationsTest, AnOutputStays) {
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w) from "conv"
    %y: float32[1x2x3x1] = silu(%c) from "s"
    output %y
    output %c)");
}

TEST(FuseFloatActivationsTest, OtherProducersStay) {
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x3x1] = conv_transpose2d(%x, %w) from "conv"
    %s: float32[1x2x3x1] = silu(%c) from "s"
    %a: float32[1x2x3x1] = add(%s, %x) from "a"
    %y: float32[1x2x3x1] = silu(%a) from "y"
    output %y)");
}

TEST(FuseFloatActivationsTest, FunctionsOfTwoOperandsAndOverDimensionsStay) {
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [3.0]
    const %slope: float32[1] = [0.5]
    %c: float32[1x2x3x1] = conv2d(%x, %w) from "c"
    %p: float32[1x2x3x1] = prelu(%c, %slope) from "p"
    %d: float32[1x2x3x1] = conv2d(%x, %w) from "d"
    %s: float32[1x2x3x1] = softmax(%d) {axis=2} from "s"
    output %p
    output %s)");
}

TEST(FuseFloatActivationsTest, AnActivationOfASumStays) {
  // The epilogue adds after the activation.
  ExpectNoRewrite(FuseFloatActivations, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [3.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w, _, _, %x) from "c"
    %y: float32[1x2x3x1] = tanh(%c) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
