#include "compiler/passes/equalize_weights.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(EqualizeWeightsTest, WeightsOnBothSidesOfAChannelBecomeAlike) {
  // Channel 0: 16 and 1 become 4 and 4; channel 1: 0.25 and 1 become 0.5 and 0.5.
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [16.0, 0.25]
    const %b: float32[2] = [8.0, -0.5]
    const %v: float32[1x1x1x2] = [1.0, 1.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w, %b) {min=0.0} from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v) from "d"
    output %d)",
             R"(
    input %x: float32[1x2x2x1]
    const %w.1: float32[2x1x1x1] = [4.0, 0.5]
    const %b.1: float32[2] = [2.0, -1.0]
    const %v.1: float32[1x1x1x2] = [4.0, 0.5]
    %c: float32[1x2x2x2] = conv2d(%x, %w.1, %b.1) {min=0.0} from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v.1) from "d"
    output %d)");
}

TEST(EqualizeWeightsTest, DepthwiseKernelsHaveOneChannel) {
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [16.0, 0.25]
    const %v: float32[1x1x1x2] = [1.0, 1.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w) from "c"
    %d: float32[1x2x2x2] = depthwise_conv2d(%c, %v) from "d"
    output %d)",
             R"(
    input %x: float32[1x2x2x1]
    const %w.1: float32[2x1x1x1] = [4.0, 0.5]
    const %v.1: float32[1x1x1x2] = [4.0, 0.5]
    %c: float32[1x2x2x2] = conv2d(%x, %w.1) from "c"
    %d: float32[1x2x2x2] = depthwise_conv2d(%c, %v.1) from "d"
    output %d)");
}

TEST(EqualizeWeightsTest, AClampFromAboveWouldMove) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [16.0, 0.25]
    const %v: float32[1x1x1x2] = [1.0, 1.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w) {min=0.0, max=6.0} from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v) from "d"
    output %d)");
}

TEST(EqualizeWeightsTest, WhatOthersReadKeepsItsValues) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [16.0, 0.25]
    const %v: float32[1x1x1x2] = [1.0, 1.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w) from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v) from "d"
    output %c
    output %d)");
}

TEST(EqualizeWeightsTest, AChannelWithoutWeightsIsLeftAlone) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [1.0, 0.0]
    const %v: float32[1x1x1x2] = [1.0, 64.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w) from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v) from "d"
    output %d)");
}

}  // namespace
}  // namespace synap_internal
