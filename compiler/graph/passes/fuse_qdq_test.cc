#include "compiler/graph/passes/fuse_qdq.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/text.h"
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

TEST(FuseQdqTest, CountsTheMatmulAndItsTransposedWeights) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: uint8[2x3]<affine 0.5 3> = [1, 2, 3, 4, 5, 6]
    %wf: float32[2x3] = dequantize(%w) from "wf"
    %y: float32[1x3] = matmul(%x, %wf) from "y"
    output %y)");
  const absl::StatusOr<int> rewrites = FuseQdq(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 2);
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

TEST(FuseQdqTest, AnOpWithAFloatOperandStaysFloat) {
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

TEST(FuseQdqTest, MovesQuantizeBeforeOpsThatMoveValues) {
  ExpectFused(R"(
    input %x: uint8[2x3]<affine 0.5 3>
    const %w: uint8[4x3]<affine 0.25 128> = [1, 2, 3, 40, 50, 60, 170, 180, 190, 200, 210, 220]
    %xf: float32[2x3] = dequantize(%x) from "xf"
    %wf: float32[4x3] = dequantize(%w) from "wf"
    %c: float32[2x4] = fully_connected(%xf, %wf) from "c"
    %k: float32[2x4] = clip(%c) {max=200.0, min=-100.0} from "k"
    %r: float32[2x2x2] = reshape(%k) {shape=[2, 2, 2]} from "r"
    %t: float32[2x2x2] = transpose(%r) {perm=[2, 0, 1]} from "t"
    %y: uint8[2x2x2]<affine 4 100> = quantize(%t) from "y"
    output %y)",
              R"(
    input %x: uint8[2x3]<affine 0.5 3>
    const %w: uint8[4x3]<affine 0.25 128> = [1, 2, 3, 40, 50, 60, 170, 180, 190, 200, 210, 220]
    %k.q: uint8[2x4]<affine 4 100> = fully_connected(%x, %w) {max=200.0, min=-100.0} from "c", "k"
    %y.nhwc: uint8[2x2x2]<affine 4 100> = reshape(%k.q) {shape=[2, 2, 2]} from "r"
    %y: uint8[2x2x2]<affine 4 100> = transpose(%y.nhwc) {perm=[2, 0, 1]} from "y"
    output %y)");
}

TEST(FuseQdqTest, DepthwiseWeightsWithAScaleForEachChannel) {
  ExpectFused(R"(
    input %x: uint8[1x4x3x2]<affine 0.5 3>
    const %w: int8[1x2x1x2]<channel 3 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b: float32[2] = [1.0, -2.0]
    %xf: float32[1x4x3x2] = dequantize(%x) from "xf"
    %wf: float32[1x2x1x2] = dequantize(%w) from "wf"
    %c: float32[1x3x3x2] = depthwise_conv2d(%xf, %wf, %b) from "c"
    %y: uint8[1x3x3x2]<affine 64 99> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[1x4x3x2]<affine 0.5 3>
    const %w: int8[1x2x1x2]<channel 3 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b.int32: int32[2]<channel 0 [0.125, 0.5]> = [8, -4]
    %y: uint8[1x3x3x2]<affine 64 99> = depthwise_conv2d(%x, %w, %b.int32) from "c"
    output %y)");
}

TEST(FuseQdqTest, ASumOfTwoOperands) {
  ExpectFused(R"(
    input %x: uint8[2x3]<affine 0.5 3>
    input %z: uint8[3]<affine 0.25 99>
    %xf: float32[2x3] = dequantize(%x) from "xf"
    %zf: float32[3] = dequantize(%z) from "zf"
    %c: float32[2x3] = add(%xf, %zf) from "c"
    %y: uint8[2x3]<affine 1 7> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[2x3]<affine 0.5 3>
    input %z: uint8[3]<affine 0.25 99>
    %y: uint8[2x3]<affine 1 7> = add(%x, %z) from "c"
    output %y)");
}

TEST(FuseQdqTest, InterpolationWithAnotherQuantizerStaysFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    %f: float32[1x2x3x1] = dequantize(%x) from "f"
    %r: float32[1x4x5x1] = resize(%f) {mode="linear", scales=[2.0, 1.6666666], size=[4, 5]} from "r"
    %y: uint8[1x4x5x1]<affine 0.25 3> = quantize(%r) from "y"
    output %y)");
}

TEST(FuseQdqTest, GatheringWithAnotherQuantizerStaysFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[4]<affine 0.5 3>
    const %i: int64[2] = [2, 0]
    %f: float32[4] = dequantize(%x) from "f"
    %g: float32[2] = gather(%f, %i) {axis=0} from "g"
    %y: uint8[2]<affine 0.25 3> = quantize(%g) from "y"
    output %y)");
}

TEST(FuseQdqTest, InterpolationInTheSameStepsIsFused) {
  ExpectFused(R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    %f: float32[1x2x3x1] = dequantize(%x) from "f"
    %r: float32[1x4x3x1] = resize(%f) {mode="linear", scales=[2.0, 1.0], size=[4, 3]} from "r"
    %y: uint8[1x4x3x1]<affine 0.5 3> = quantize(%r) from "y"
    output %y)",
              R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    %y: uint8[1x4x3x1]<affine 0.5 3> = resize(%x) {mode="linear", scales=[2.0, 1.0], size=[4, 3]} from "r"
    output %y)");
}

// A layer over %x with the bias %b or %computed, quantized to `output`.
void ExpectLayerStays(absl::string_view bias, absl::string_view output) {
  ExpectNoRewrite(FuseQdq, absl::StrCat(R"(
    input %x: uint8[2x3]<affine 0.5 3>
    input %computed: float32[2]
    const %w: uint8[2x3]<affine 0.25 128> = [1, 2, 3, 40, 50, 60]
    const %large: float32[2] = [1.0, 1e9]
    const %infinite: float32[2] = [inf, 1.0]
    const %past: float32[2] = [134217744.0, 0.0]
    %xf: float32[2x3] = dequantize(%x) from "xf"
    %wf: float32[2x3] = dequantize(%w) from "wf"
    %c: float32[2x2] = fully_connected(%xf, %wf, )",
                                        bias, R"() from "c"
    %y: )",
                                        output, R"( = quantize(%c) from "y"
    output %y
    output %large
    output %infinite
    output %past)"));
}

TEST(FuseQdqTest, BiasesThatAreNoIntegersStayFloat) {
  ExpectLayerStays("%computed", "uint8[2x2]<affine 4 100>");
  ExpectLayerStays("%large", "uint8[2x2]<affine 4 100>");
  ExpectLayerStays("%infinite", "uint8[2x2]<affine 4 100>");
  ExpectLayerStays("%past", "uint8[2x2]<affine 4 100>");
}

TEST(FuseQdqTest, SixteenBits) {
  ExpectFused(R"(
    input %x: int16[1x2]<affine 0.5 -3>
    input %u: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b: float32[2] = [1.0, -2.0]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %uf: float32[1x2] = dequantize(%u) from "uf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf, %b) from "c"
    %y: int16[1x2]<affine 2 7> = quantize(%c) from "y"
    %d: float32[1x2] = fully_connected(%uf, %wf, %b) from "d"
    %z: int16[1x2]<affine 2 7> = quantize(%d) from "z"
    %yf: float32[1x2] = dequantize(%y) from "yf"
    %s: float32[1x2] = silu(%yf) from "s"
    %t: int16[1x2]<affine 0.25 0> = quantize(%s) from "t"
    output %t
    output %z)",
              R"(
    input %x: int16[1x2]<affine 0.5 -3>
    input %u: uint8[1x2]<affine 0.5 3>
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    const %b.int32: int32[2]<channel 0 [0.125, 0.5]> = [8, -4]
    const %b.int32.1: int32[2]<channel 0 [0.125, 0.5]> = [8, -4]
    %y: int16[1x2]<affine 2 7> = fully_connected(%x, %w, %b.int32) from "c"
    %z: int16[1x2]<affine 2 7> = fully_connected(%u, %w, %b.int32.1) from "d"
    %t: int16[1x2]<affine 0.25 0> = silu(%y) from "s"
    output %t
    output %z)");
}

TEST(FuseQdqTest, ASumThatIsQuantizedTwiceStaysFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[2]<affine 0.5 3>
    %f: float32[2] = dequantize(%x) from "f"
    %c: float32[2] = tanh(%f) from "c"
    %y: uint8[2]<affine 0.0078125 128> = quantize(%c) from "y"
    %z: int8[2]<affine 0.0078125 9> = quantize(%c) from "z"
    output %y
    output %z)");
}

TEST(FuseQdqTest, ComputedWeightsStayFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[2x3]<affine 0.5 3>
    input %w: uint8[4x3]<affine 0.5 128>
    %xf: float32[2x3] = dequantize(%x) from "xf"
    %wf: float32[4x3] = dequantize(%w) from "wf"
    %c: float32[2x4] = fully_connected(%xf, %wf) from "c"
    %y: uint8[2x4]<affine 2 7> = quantize(%c) from "y"
    output %y)");
}

TEST(FuseQdqTest, WithoutAConversionNothingIsMoved) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: float32[2x3]
    %t: float32[3x2] = transpose(%x) {perm=[1, 0]} from "t"
    %y: float32[3x2] = relu(%t) from "y"
    output %y)");
}

TEST(FuseQdqTest, AnAbsentBiasStaysAbsent) {
  ExpectFused(R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: uint8[2x2]<affine 0.25 128> = [1, 2, 3, 40]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf, _) from "c"
    %y: uint8[1x2]<affine 4 100> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[1x2]<affine 0.5 3>
    const %w: uint8[2x2]<affine 0.25 128> = [1, 2, 3, 40]
    %y: uint8[1x2]<affine 4 100> = fully_connected(%x, %w, _) from "c"
    output %y)");
}

TEST(FuseQdqTest, IndicesStayAsTheyAre) {
  ExpectFused(R"(
    input %x: uint8[4]<affine 0.5 3>
    const %i: int64[2] = [2, 0]
    %f: float32[4] = dequantize(%x) from "f"
    %g: float32[2] = gather(%f, %i) {axis=0} from "g"
    %y: uint8[2]<affine 0.5 3> = quantize(%g) from "y"
    output %y)",
              R"(
    input %x: uint8[4]<affine 0.5 3>
    const %i: int64[2] = [2, 0]
    %y: uint8[2]<affine 0.5 3> = gather(%x, %i) {axis=0} from "g"
    output %y)");
}

TEST(FuseQdqTest, NumbersThatWereNoBytesStayFloat) {
  // The input and the integers have no quantizer to keep.
  ExpectNoRewrite(FuseQdq, R"(
    input %x: float32[2]
    input %n: int64[2]
    input %u: uint8[2]
    input %b: uint8[2]<affine 0.5 3>
    %f: float32[2] = cast(%n) {to="float32"} from "f"
    %g: float32[2] = cast(%u) {to="float32"} from "g"
    %y: uint8[2]<affine 0.5 3> = quantize(%f) from "y"
    %v: uint8[2]<affine 0.5 3> = quantize(%g) from "v"
    %z: uint8[2]<affine 0.5 3> = quantize(%x) from "z"
    %w: float32[2] = dequantize(%b) from "w"
    output %y
    output %v
    output %z
    output %w)");
}

TEST(FuseQdqTest, ScalesOfChannelsAreNotRequantized) {
  ExpectNoRewrite(FuseQdq, R"(
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    %f: float32[2x2] = dequantize(%w) from "f"
    %y: uint8[2x2]<affine 0.5 3> = quantize(%f) from "y"
    output %y)");
}

TEST(FuseQdqTest, OtherMatrixProductsStay) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: float32[2x2x3]
    input %c: uint8[3x2]<affine 0.5 3>
    const %w: uint8[2x3x2]<affine 0.5 3> = splat 7
    %cf: float32[3x2] = dequantize(%c) from "cf"
    %wf: float32[2x3x2] = dequantize(%w) from "wf"
    %a: float32[2x2x2] = matmul(%x, %cf) from "a"
    %b: float32[2x2x2] = matmul(%x, %wf) from "b"
    output %a
    output %b)");
}

TEST(FuseQdqTest, ABiasMayHaveTwoToThe30thSteps) {
  ExpectFused(R"(
    input %x: uint8[1x1]<affine 0.5 3>
    const %w: uint8[2x1]<affine 0.25 128> = [1, 2]
    const %b: float32[2] = [134217728.0, -134217728.0]
    %xf: float32[1x1] = dequantize(%x) from "xf"
    %wf: float32[2x1] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf, %b) from "c"
    %y: uint8[1x2]<affine 2097152 128> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[1x1]<affine 0.5 3>
    const %w: uint8[2x1]<affine 0.25 128> = [1, 2]
    const %b.int32: int32[2]<affine 0.125 0> = [1073741824, -1073741824]
    %y: uint8[1x2]<affine 2097152 128> = fully_connected(%x, %w, %b.int32) from "c"
    output %y)");
}

TEST(FuseQdqTest, QuantizingTheSameNumbersAgainGoes) {
  // The output keeps its name, which the input can't take.
  ExpectPass(FuseQdq, R"(
    input %x: uint8[4]<affine 0.5 3>
    %f: float32[4] = dequantize(%x) from "f"
    %y: uint8[4]<affine 0.5 3> = quantize(%f) from "y"
    output %y)",
             R"(
    input %x: uint8[4]<affine 0.5 3>
    %y: uint8[4]<affine 0.5 3> = reshape(%x) {shape=[4]} from "y"
    output %y)");
}

TEST(FuseQdqTest, SixteenBitWeightsWithoutAZeroPoint) {
  ExpectFused(R"(
    input %x: int16[1x2]<affine 0.5 -3>
    const %w: int16[2x2]<affine 0.25 0> = [1, -2, 32767, -32768]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf) from "c"
    %y: int16[1x2]<affine 1024 7> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: int16[1x2]<affine 0.5 -3>
    const %w: int16[2x2]<affine 0.25 0> = [1, -2, 32767, -32768]
    %y: int16[1x2]<affine 1024 7> = fully_connected(%x, %w) from "c"
    output %y)");
}

// A layer of types that no kernel takes together.
void ExpectTypesStay(absl::string_view x, absl::string_view w, absl::string_view y) {
  ExpectNoRewrite(FuseQdq, absl::StrCat("input %x: ", x, "\nconst %w: ", w, R"( = [1, 2, 3, 4]
    %xf: float32[1x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[1x2] = fully_connected(%xf, %wf) from "c"
    %y: )",
                                        y, R"( = quantize(%c) from "y"
    output %y)"));
}

TEST(FuseQdqTest, TypesThatNoKernelTakesTogetherStayFloat) {
  const absl::string_view word = "int16[1x2]<affine 0.5 3>", byte = "uint8[1x2]<affine 0.5 3>";
  const absl::string_view words = "int16[2x2]<affine 0.25 0>";
  ExpectTypesStay(byte, words, byte);
  ExpectTypesStay(word, "int16[2x2]<affine 0.25 5>", word);
  ExpectTypesStay(word, words, byte);
  ExpectNoRewrite(FuseQdq, R"(
    input %a: int16[2]<affine 0.5 3>
    input %b: uint8[2]<affine 0.5 3>
    %f: float32[2] = dequantize(%a) from "f"
    %g: float32[2] = dequantize(%b) from "g"
    %s: float32[2] = add(%f, %g) from "s"
    %y: int16[2]<affine 1 3> = quantize(%s) from "y"
    output %y)");
}

TEST(FuseQdqTest, ConversionsFromAndToSixteenBitsBecomeOne) {
  ExpectFused(R"(
    input %x: int16[4]<fixed 8>
    input %b: uint8[4]<affine 0.5 3>
    %f: float32[4] = dequantize(%x) from "f"
    %y: uint8[4]<affine 0.5 3> = quantize(%f) from "y"
    %g: float32[4] = dequantize(%b) from "g"
    %z: int16[4]<fixed 8> = quantize(%g) from "z"
    output %y
    output %z)",
              R"(
    input %x: int16[4]<fixed 8>
    input %b: uint8[4]<affine 0.5 3>
    %y: uint8[4]<affine 0.5 3> = requantize(%x) from "y"
    %z: int16[4]<fixed 8> = requantize(%b) from "z"
    output %y
    output %z)");
}

TEST(FuseQdqTest, OpsThatHaveNoQuantizerStayFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[4]<affine 0.5 3>
    %f: float32[4] = dequantize(%x) from "f"
    %c: float32[4] = cast(%f) {to="float32"} from "c"
    %y: uint8[4]<affine 0.5 3> = quantize(%c) from "y"
    output %y)");
}

TEST(FuseQdqTest, MovedNumbersThatAreReadAsFloatStayFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: uint8[4]<affine 0.5 3>
    input %b: float32[4]
    %f: float32[4] = dequantize(%x) from "f"
    %c: float32[4] = add(%f, %b) from "c"
    %r: float32[2x2] = reshape(%c) {shape=[2, 2]} from "r"
    %y: uint8[2x2]<affine 0.5 3> = quantize(%r) from "y"
    output %y
    output %r)");
}

TEST(FuseQdqTest, AQuantizeThatMovesKeepsItsName) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[2x3]
    input %b: uint8[4]<affine 0.5 3>
    %t: float32[6] = reshape(%x) {shape=[6]} from "t"
    %y: uint8[6]<affine 0.5 3> = quantize(%t) from "y"
    %f: float32[4] = dequantize(%b) from "f"
    %c: float32[4] = tanh(%f) from "c"
    %z: uint8[4]<affine 0.0078125 128> = quantize(%c) from "z"
    output %y
    output %z)");
  const absl::StatusOr<int> rewrites = FuseQdq(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 2) << "one moves, one is fused";
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(R"(
    input %x: float32[2x3]
    input %b: uint8[4]<affine 0.5 3>
    %x.q: uint8[2x3]<affine 0.5 3> = quantize(%x) from "y"
    %y: uint8[6]<affine 0.5 3> = reshape(%x.q) {shape=[6]} from "t"
    %z: uint8[4]<affine 0.0078125 128> = tanh(%b) from "c"
    output %y
    output %z)")));
}

TEST(FuseQdqTest, AMatrixWithoutColumnsStays) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: float32[2x3]
    const %w: uint8[3x0]<affine 0.5 3> = []
    %wf: float32[3x0] = dequantize(%w) from "wf"
    %y: float32[2x0] = matmul(%x, %wf) from "y"
    output %y)");
}

TEST(FuseQdqTest, AMatrixOfOneNumberIsFullyConnected) {
  ExpectFused(R"(
    input %x: uint8[2x1]<affine 0.5 3>
    const %w: int8[1x1]<affine 0.25 0> = [7]
    %xf: float32[2x1] = dequantize(%x) from "xf"
    %wf: float32[1x1] = dequantize(%w) from "wf"
    %c: float32[2x1] = matmul(%xf, %wf) from "c"
    %y: uint8[2x1]<affine 2 100> = quantize(%c) from "y"
    output %y)",
              R"(
    input %x: uint8[2x1]<affine 0.5 3>
    const %w.2: int8[1x1]<affine 0.25 0> = [7]
    %y: uint8[2x1]<affine 2 100> = fully_connected(%x, %w.2) from "c"
    output %y)");
}

TEST(FuseQdqTest, ActivationsWithAScaleForEachChannelStayFloat) {
  ExpectNoRewrite(FuseQdq, R"(
    input %x: int8[2x2]<channel 1 [0.25, 1.0]>
    const %w: uint8[2x2]<affine 0.25 128> = [1, 2, 3, 40]
    const %b: float32[2] = [1.0, -2.0]
    %xf: float32[2x2] = dequantize(%x) from "xf"
    %wf: float32[2x2] = dequantize(%w) from "wf"
    %c: float32[2x2] = fully_connected(%xf, %wf, %b) from "c"
    %n: float32[2x2] = neg(%xf) from "n"
    %k: float32[4x2] = concat(%xf, %xf) {axis=0} from "k"
    %y: uint8[2x2]<affine 4 100> = quantize(%c) from "y"
    %z: uint8[2x2]<affine 4 100> = quantize(%n) from "z"
    %l: uint8[4x2]<affine 4 100> = quantize(%k) from "l"
    output %y
    output %z
    output %l)");
}

}  // namespace
}  // namespace synap_internal
