#include "compiler/passes/float_outputs.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FloatOutputsTest, TheLastConvolutionIsNotRounded) {
  // Within half a step of the 8-bit output: 0.05 of about 6.
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    const %b: int32[1]<affine 0.0002 0> = [50]
    %c: uint8[1x2x2x1]<affine 0.05 128> = conv2d(%x, %w, %b) {min=-1.5} from "c"
    %r: uint8[4]<affine 0.05 128> = reshape(%c) {shape=[4]} from "r"
    %y: float32[4] = dequantize(%r) from "r"
    output %y)",
             R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w.float32: float32[1x1x1x2] = [-2.0, 2.0]
    const %b.float32: float32[1] = [0.01]
    %c.input: float32[1x2x2x2] = dequantize(%x) from "c"
    %c: float32[1x2x2x1] = conv2d(%c.input, %w.float32, %b.float32) {min=-1.5} from "c"
    %y: float32[4] = reshape(%c) {shape=[4]} from "r"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, WhatIsBehindTheLastConvolutionIsNotRoundedEither) {
  // The sigmoid of 8 bits has 256 steps; the other operand moves as integers.
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %p: uint8[1x1x2x1]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %s: uint8[1x1x1x1]<affine 0.00392157 0> = sigmoid(%c) from "s"
    %m: uint8[1x1x1x1]<affine 0.01 128> = max_pool2d(%p) {kernel=[1, 2]} from "m"
    %t: uint8[1x1x1x1]<affine 0.01 128> = transpose(%m) {perm=[0, 2, 1, 3]} from "t"
    %k: uint8[1x1x1x2]<affine 0.02 128> = concat(%s, %t) {axis=3} from "k"
    %y: float32[1x1x1x2] = dequantize(%k) from "k"
    output %y)",
             R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    input %p: uint8[1x1x2x1]<affine 0.01 128>
    const %w.float32: float32[1x1x1x2] = [-2.0, 2.0]
    %c.input: float32[1x1x1x2] = dequantize(%x) from "c"
    %c: float32[1x1x1x1] = conv2d(%c.input, %w.float32) from "c"
    %s: float32[1x1x1x1] = sigmoid(%c) from "s"
    %m: uint8[1x1x1x1]<affine 0.01 128> = max_pool2d(%p) {kernel=[1, 2]} from "m"
    %t: uint8[1x1x1x1]<affine 0.01 128> = transpose(%m) {perm=[0, 2, 1, 3]} from "t"
    %k.input: float32[1x1x1x1] = dequantize(%t) from "k"
    %y: float32[1x1x1x2] = concat(%s, %k.input) {axis=3} from "k"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, SixteenBitsArentRoundedToEightOnTheWay) {
  ExpectPass(FloatOutputs, R"(
    input %x: int16[4]<fixed 8>
    %q: uint8[4]<affine 0.5 128> = requantize(%x) from "x"
    %s: uint8[4]<affine 0.00392157 0> = sigmoid(%q) from "s"
    %y: float32[4] = dequantize(%s) from "s"
    output %y)",
             R"(
    input %x: int16[4]<fixed 8>
    %s.input: float32[4] = dequantize(%x) from "s"
    %y: float32[4] = sigmoid(%s.input) from "s"
    output %y)",
             0.2f);
}

TEST(FloatOutputsTest, WhatIsQuantizedAgainStaysIn8Bits) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %f: float32[1x1x1x1] = dequantize(%c) from "f"
    %e: float32[1x1x1x1] = exp(%f) from "e"
    %q: uint8[1x1x1x1]<affine 0.05 0> = quantize(%e) from "e"
    output %q)");
}

TEST(FloatOutputsTest, WhatOthersReadStaysIn8Bits) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x2x2x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %y: float32[1x2x2x1] = dequantize(%c) from "c"
    output %y
    output %c)");
}

TEST(FloatOutputsTest, OtherProducersStayIn8Bits) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    %m: uint8[1x1x1x2]<affine 0.01 128> = max_pool2d(%x) {kernel=[2, 2]} from "m"
    %y: float32[1x1x1x2] = dequantize(%m) from "m"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
