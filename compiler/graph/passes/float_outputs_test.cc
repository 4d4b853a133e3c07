#include "compiler/graph/passes/float_outputs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/text.h"
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

TEST(FloatOutputsTest, OpsAfterTheLastConvolutionAreNotRoundedEither) {
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

TEST(FloatOutputsTest, KeepsTensorsThatAreQuantizedAgain) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[1x1x1x2]<affine 0.01 128>
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w) from "c"
    %f: float32[1x1x1x1] = dequantize(%c) from "f"
    %e: float32[1x1x1x1] = exp(%f) from "e"
    %q: uint8[1x1x1x1]<affine 0.05 0> = quantize(%e) from "e"
    output %q)");
}

TEST(FloatOutputsTest, KeepsTensorsThatAreOutputs) {
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

TEST(FloatOutputsTest, EachKindOfLinearOp) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[1x3x2x2]<affine 0.01 128>
    const %w: uint8[1x2x1x2]<affine 0.02 100> = [0, 200, 50, 150]
    const %m: int8[3x2]<channel 0 [0.0078125, 0.015625, 0.03125]> = [100, -100, 50, 60, -70, 80]
    %c: uint8[1x2x2x2]<affine 0.05 128> = depthwise_conv2d(%x, %w) from "c"
    %f: uint8[1x3x2x3]<affine 0.05 128> = fully_connected(%x, %m) from "f"
    %y: float32[1x2x2x2] = dequantize(%c) from "c"
    %z: float32[1x3x2x3] = dequantize(%f) from "f"
    output %y
    output %z)",
             R"(
    input %x: uint8[1x3x2x2]<affine 0.01 128>
    const %w.float32: float32[1x2x1x2] = [-2.0, 2.0, -1.0, 1.0]
    const %m.float32: float32[3x2] = [0.78125, -0.78125, 0.78125, 0.9375, -2.1875, 2.5]
    %c.input: float32[1x3x2x2] = dequantize(%x) from "c"
    %y: float32[1x2x2x2] = depthwise_conv2d(%c.input, %w.float32) from "c"
    %z: float32[1x3x2x3] = fully_connected(%c.input, %m.float32) from "f"
    output %y
    output %z)",
             0.02f);
}

TEST(FloatOutputsTest, SoftmaxAndItsOperandsUpToTheLastConvolution) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[2x3]<affine 0.01 128>
    const %w: uint8[4x3]<affine 0.015625 100> = [0, 200, 50, 150, 90, 110, 120, 80, 10, 100, 190, 200]
    %c: uint8[2x4]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %s: uint8[2x4]<affine 0.00390625 0> = softmax(%c) {axis=1} from "s"
    %t: uint8[4x2]<affine 0.00390625 0> = transpose(%s) {perm=[1, 0]} from "t"
    %y: float32[4x2] = dequantize(%t) from "t"
    output %y)",
             R"(
    input %x: uint8[2x3]<affine 0.01 128>
    const %w.float32: float32[4x3] = [-1.5625, 1.5625, -0.78125, 0.78125, -0.15625, 0.15625, 0.3125, -0.3125, -1.40625, 0.0, 1.40625, 1.5625]
    %c.input: float32[2x3] = dequantize(%x) from "c"
    %c: float32[2x4] = fully_connected(%c.input, %w.float32) from "c"
    %s: float32[2x4] = softmax(%c) {axis=1} from "s"
    %y: float32[4x2] = transpose(%s) {perm=[1, 0]} from "t"
    output %y)",
             0.05f);
}

TEST(FloatOutputsTest, KeepsOpsBetweenTwoLinearOps) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    %a: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "a"
    %r: uint8[2x1]<affine 0.05 0> = relu(%a) from "r"
    %c: uint8[2x1]<affine 0.05 128> = fully_connected(%r, %w) from "c"
    %y: float32[2x1] = dequantize(%c) from "c"
    output %y)",
             R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    const %w.float32: float32[1x1] = [2.0]
    %a: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "a"
    %r: uint8[2x1]<affine 0.05 0> = relu(%a) from "r"
    %c.input: float32[2x1] = dequantize(%r) from "c"
    %y: float32[2x1] = fully_connected(%c.input, %w.float32) from "c"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, FloatOpsAfterTheConversionMayFollow) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    %c: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %f: float32[2x1] = dequantize(%c) from "f"
    %y: float32[2x1] = tanh(%f) from "y"
    output %y)",
             R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w.float32: float32[1x1] = [2.0]
    %c.input: float32[2x1] = dequantize(%x) from "c"
    %f: float32[2x1] = fully_connected(%c.input, %w.float32) from "c"
    %y: float32[2x1] = tanh(%f) from "y"
    output %y)",
             0.05f);
}

// The layer `call` over %x, read as float32.
void ExpectLayerStays(absl::string_view call) {
  ExpectNoRewrite(FloatOutputs, absl::StrCat(R"(
    input %x: uint8[1x2x2x2]<affine 0.01 128>
    input %i: int16[1x2x2x2]<fixed 8>
    input %cw: uint8[2x1x1x2]<affine 0.02 100>
    input %cb: int32[2]<affine 0.0002 0>
    const %w: uint8[2x1x1x2]<affine 0.02 100> = [0, 200, 50, 150]
    const %m: uint8[2x2]<affine 0.02 100> = [0, 200, 50, 150]
    const %t: uint8[256] = splat 9
    %c: uint8[1x2x2x2]<affine 0.05 128> = )",
                                             call, R"( from "c"
    %y: float32[1x2x2x2] = dequantize(%c) from "c"
    output %y
    output %w
    output %m
    output %t)"));
}

TEST(FloatOutputsTest, OtherLayersStayIn8Bits) {
  ExpectLayerStays("conv_transpose2d(%x, %w)");
  ExpectLayerStays("conv2d(%x, %cw)");
  ExpectLayerStays("conv2d(%x, %w, %cb)");
  ExpectLayerStays("conv2d(%x, %w, _, %t) {table_scale=0.5, table_zero_point=3}");
  ExpectLayerStays("requantize(%i)");
  ExpectLayerStays("lookup(%x, %t)");
  ExpectLayerStays("reshape(%x) {shape=[1, 2, 2, 2]}");
}

TEST(FloatOutputsTest, KeepsOperandsOfIntegerOutputs) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    %c: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %r: uint8[1x2]<affine 0.05 128> = reshape(%c) {shape=[1, 2]} from "r"
    %y: float32[2x1] = dequantize(%c) from "c"
    output %y
    output %r)");
}

TEST(FloatOutputsTest, ConditionsAndAbsentBiasesStayAsTheyAre) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    input %c: bool[2x1]
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    const %k: uint8[1]<affine 0.5 2> = [8]
    %a: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w, _) from "a"
    %h: uint8[2x1]<affine 0.05 128> = where(%c, %a, %k) from "h"
    %y: float32[2x1] = dequantize(%h) from "h"
    output %y)",
             R"(
    input %x: uint8[2x1]<affine 0.01 128>
    input %c: bool[2x1]
    const %w.float32: float32[1x1] = [2.0]
    const %k.float32: float32[1] = [3.0]
    %a.input: float32[2x1] = dequantize(%x) from "a"
    %a: float32[2x1] = fully_connected(%a.input, %w.float32, _) from "a"
    %y: float32[2x1] = where(%c, %a, %k.float32) from "h"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, FloatLayersMayFollow) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    const %v: float32[1x1] = [0.5]
    %c: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %f: float32[2x1] = dequantize(%c) from "f"
    %y: float32[2x1] = fully_connected(%f, %v) from "y"
    output %y)",
             R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %v: float32[1x1] = [0.5]
    const %w.float32: float32[1x1] = [2.0]
    %c.input: float32[2x1] = dequantize(%x) from "c"
    %f: float32[2x1] = fully_connected(%c.input, %w.float32) from "c"
    %y: float32[2x1] = fully_connected(%f, %v) from "y"
    output %y)",
             0.05f);
}

TEST(FloatOutputsTest, BytesMadeOfOtherBytesAreReadAsTheyAre) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[4]<affine 0.25 128>
    %q: uint8[4]<affine 0.5 128> = requantize(%x) from "x"
    %s: uint8[4]<affine 0.00392157 0> = sigmoid(%q) from "s"
    %y: float32[4] = dequantize(%s) from "s"
    output %y)",
             R"(
    input %x: uint8[4]<affine 0.25 128>
    %q: uint8[4]<affine 0.5 128> = requantize(%x) from "x"
    %s.input: float32[4] = dequantize(%q) from "s"
    %y: float32[4] = sigmoid(%s.input) from "s"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, SixteenBitsAndFloatGraphsStay) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: int16[1x2]<fixed 8>
    const %w: int16[1x2]<fixed 10> = [100, -200]
    %c: int16[1x1]<fixed 9> = fully_connected(%x, %w) from "c"
    %y: float32[1x1] = dequantize(%c) from "c"
    output %y)");
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "a"
    %y: float32[4] = tanh(%a) from "y"
    output %y)");
}

TEST(FloatOutputsTest, ResultsThatNothingReadsStay) {
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    %a: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "a"
    %f: float32[2x1] = dequantize(%a) from "f"
    %b: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "b"
    output %x)");
}

TEST(FloatOutputsTest, FunctionsFromAndToSixteenBitsStay) {
  // There is no kernel for the first one. The tanh reads bytes.
  Graph graph = GraphOfBody(R"(
    input %x: int16[4]<fixed 8>
    %s: uint8[4]<affine 0.00390625 0> = sigmoid(%x) from "s"
    %t: uint8[4]<affine 0.00390625 0> = tanh(%s) from "t"
    %y: float32[4] = dequantize(%t) from "y"
    output %y)");
  const absl::StatusOr<int> rewrites = FloatOutputs(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(R"(
    input %x: int16[4]<fixed 8>
    %s: uint8[4]<affine 0.00390625 0> = sigmoid(%x) from "s"
    %t.input: float32[4] = dequantize(%s) from "t"
    %y: float32[4] = tanh(%t.input) from "t"
    output %y)")));
  ExpectNoRewrite(FloatOutputs, R"(
    input %x: uint8[4]<affine 0.0625 128>
    %s: int16[4]<fixed 14> = sigmoid(%x) from "s"
    %y: float32[4] = dequantize(%s) from "y"
    output %y)");
}

TEST(FloatOutputsTest, ConstantsOfSignedBytesAreRealToo) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[3]<affine 0.5 128>
    const %k: int8[3]<affine 0.25 -2> = [2, -6, 0]
    %m: uint8[3]<affine 0.5 128> = mul(%x, %k) from "m"
    %y: float32[3] = dequantize(%m) from "y"
    output %y)",
             R"(
    input %x: uint8[3]<affine 0.5 128>
    const %k.float32: float32[3] = [1.0, -1.0, 0.5]
    %m.input: float32[3] = dequantize(%x) from "m"
    %y: float32[3] = mul(%m.input, %k.float32) from "m"
    output %y)",
             0.02f);
}

TEST(FloatOutputsTest, RealNumbersArentRoundedForAJoinThatIsReal) {
  ExpectPass(FloatOutputs, R"(
    input %x: uint8[1x2]<affine 0.0625 128>
    input %c: float32[1x1]
    %s: uint8[1x2]<affine 0.00390625 0> = sigmoid(%x) from "s"
    %q: uint8[1x1]<affine 0.5 0> = quantize(%c) from "class"
    %k: uint8[1x3]<affine 0.5 0> = concat(%s, %q) {axis=1} from "k"
    %y: float32[1x3] = dequantize(%k) from "y"
    output %y)",
             R"(
    input %x: uint8[1x2]<affine 0.0625 128>
    input %c: float32[1x1]
    %s.input: float32[1x2] = dequantize(%x) from "s"
    %s: float32[1x2] = sigmoid(%s.input) from "s"
    %y: float32[1x3] = concat(%s, %c) {axis=1} from "k"
    output %y)",
             1.0f);
}

TEST(FloatOutputsTest, CountsTheOpsThatBecomeFloat) {
  Graph graph = GraphOfBody(R"(
    input %x: uint8[2x1]<affine 0.01 128>
    const %w: uint8[1x1]<affine 0.02 100> = [200]
    %c: uint8[2x1]<affine 0.05 128> = fully_connected(%x, %w) from "c"
    %t: uint8[2x1]<affine 0.0078125 128> = tanh(%c) from "t"
    %y: float32[2x1] = dequantize(%t) from "y"
    output %y)");
  const absl::StatusOr<int> rewrites = FloatOutputs(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 2);
}

}  // namespace
}  // namespace synap_internal
