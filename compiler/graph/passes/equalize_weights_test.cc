#include "compiler/graph/passes/equalize_weights.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(EqualizeWeightsTest, GivesBothSidesOfAChannelLikeWeights) {
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

TEST(EqualizeWeightsTest, ANormalizationSharesWithAllItsReaders) {
  // Channel 0 reaches 4 * 4 = 16, its weights 1 and 0.25; channel 1 1 + 4 * 0.75 = 4 and 4.
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[3x2]
    const %g: float32[2] = [4.0, 0.75]
    const %b: float32[1x2] = [0.0, -1.0]
    const %v: float32[1x2] = [1.0, 4.0]
    const %w: float32[2x2] = [0.25, 2.0, 0.0, 1.0]
    %n: float32[3x2] = normalization(%x, %g, %b) {axes=[1], epsilon=0.5} from "n"
    %d: float32[3x1] = fully_connected(%n, %v) from "d"
    %e: float32[3x2] = fully_connected(%n, %w) from "e"
    output %d
    output %e)",
             R"(
    input %x: float32[3x2]
    const %g.1: float32[2] = [1.0, 0.75]
    const %b.1: float32[1x2] = [0.0, -1.0]
    const %v.1: float32[1x2] = [4.0, 4.0]
    const %w.1: float32[2x2] = [1.0, 2.0, 0.0, 1.0]
    %n: float32[3x2] = normalization(%x, %g.1, %b.1) {axes=[1], epsilon=0.5} from "n"
    %d: float32[3x1] = fully_connected(%n, %v.1) from "d"
    %e: float32[3x2] = fully_connected(%n, %w.1) from "e"
    output %d
    output %e)");
}

TEST(EqualizeWeightsTest, ANormalizationWithOtherReadersOrFactorsStays) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[3x2]
    const %g: float32[2] = [4.0, 0.75]
    const %v: float32[1x2] = [1.0, 4.0]
    %n: float32[3x2] = normalization(%x, %g) {axes=[1]} from "n"
    %d: float32[3x1] = fully_connected(%n, %v) from "d"
    %a: float32[3x2] = add(%n, %x) from "a"
    output %d
    output %a)");
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[3x2]
    const %g: float32[3x1] = [4.0, 0.75, 1.0]
    const %v: float32[1x2] = [1.0, 4.0]
    %n: float32[3x2] = normalization(%x, %g) {axes=[0, 1]} from "n"
    %d: float32[3x1] = fully_connected(%n, %v) from "d"
    output %d)");
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[3x2]
    const %v: float32[1x2] = [1.0, 16.0]
    %n: float32[3x2] = normalization(%x) {axes=[1]} from "n"
    %d: float32[3x1] = fully_connected(%n, %v) from "d"
    output %d
    output %n)");
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

TEST(EqualizeWeightsTest, LeavesTensorsThatAreOutputs) {
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

TEST(EqualizeWeightsTest, AChannelThatIsNotReadIsLeftAlone) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[1x2x2x1]
    const %w: float32[2x1x1x1] = [1.0, 64.0]
    const %v: float32[1x1x1x2] = [1.0, 0.0]
    %c: float32[1x2x2x2] = conv2d(%x, %w) from "c"
    %d: float32[1x2x2x1] = conv2d(%c, %v) from "d"
    output %d)");
}

TEST(EqualizeWeightsTest, AllTapsOfAChannelCount) {
  // Output channel 0: 32 beside 0.5, channel 1: 1 beside 1.
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[1x3x4x1]
    const %w: float32[2x1x2x1] = [1.0, -32.0, 1.0, 0.5]
    const %v: float32[1x2x1x2] = [0.25, 1.0, -0.5, 0.125]
    %c: float32[1x3x3x2] = conv2d(%x, %w) from "c"
    %d: float32[1x2x3x1] = conv2d(%c, %v) {max=4.0} from "d"
    output %d)",
             R"(
    input %x: float32[1x3x4x1]
    const %w.1: float32[2x1x2x1] = [0.125, -4.0, 1.0, 0.5]
    const %v.1: float32[1x2x1x2] = [2.0, 1.0, -4.0, 0.125]
    %c: float32[1x3x3x2] = conv2d(%x, %w.1) from "c"
    %d: float32[1x2x3x1] = conv2d(%c, %v.1) {max=4.0} from "d"
    output %d)");
}

TEST(EqualizeWeightsTest, FullyConnectedOpsAndTheirBiases) {
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[5x3]
    const %w: float32[2x3] = [16.0, 1.0, 2.0, 0.25, 0.125, 0.0]
    const %b: float32[2] = [4.0, 8.0]
    const %v: float32[3x2] = [1.0, 0.5, 0.25, 1.0, 0.5, 0.25]
    const %d: float32[3] = [1.0, 2.0, 3.0]
    %c: float32[5x2] = fully_connected(%x, %w, %b) from "c"
    %y: float32[5x3] = fully_connected(%c, %v, %d) from "y"
    output %y)",
             R"(
    input %x: float32[5x3]
    const %d: float32[3] = [1.0, 2.0, 3.0]
    const %w.1: float32[2x3] = [4.0, 0.25, 0.5, 0.5, 0.25, 0.0]
    const %b.1: float32[2] = [1.0, 16.0]
    const %v.1: float32[3x2] = [4.0, 0.25, 1.0, 0.5, 2.0, 0.125]
    %c: float32[5x2] = fully_connected(%x, %w.1, %b.1) from "c"
    %y: float32[5x3] = fully_connected(%c, %v.1, %d) from "y"
    output %y)");
}

TEST(EqualizeWeightsTest, AChainSettles) {
  // w to v by 2^1, then v to u by 2^-1: each pair has like weights at last.
  Graph graph = GraphOfBody(R"(
    input %x: float32[5x1]
    const %w: float32[1x1] = [64.0]
    const %v: float32[1x1] = [1.0]
    const %u: float32[1x1] = [1.0]
    %c: float32[5x1] = fully_connected(%x, %w) from "c"
    %d: float32[5x1] = fully_connected(%c, %v) from "d"
    %y: float32[5x1] = fully_connected(%d, %u) from "y"
    output %y)");
  const absl::StatusOr<int> changed = EqualizeWeights(graph);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(*changed, 2);
  for (const Op& op : graph.ops()) EXPECT_EQ(op.inputs[1]->values<float>()[0], 4) << op.Label();
}

TEST(EqualizeWeightsTest, EightRoundsOf64TimesTheRangeAreTheLimit) {
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[5x1]
    const %w: float32[1x1] = [9.223372e+18]
    const %v: float32[1x1] = [1.0842022e-19]
    %c: float32[5x1] = fully_connected(%x, %w) from "c"
    %y: float32[5x1] = fully_connected(%c, %v) from "y"
    output %y)",
             R"(
    input %x: float32[5x1]
    const %w.1.1.1.1.1.1.1.1: float32[1x1] = [32768.0]
    const %v.1.1.1.1.1.1.1.1: float32[1x1] = [3.0517578e-05]
    %c: float32[5x1] = fully_connected(%x, %w.1.1.1.1.1.1.1.1) from "c"
    %y: float32[5x1] = fully_connected(%c, %v.1.1.1.1.1.1.1.1) from "y"
    output %y)");
}

TEST(EqualizeWeightsTest, TheLimitHoldsInBothDirections) {
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[5x1]
    const %w: float32[1x1] = [1.0842022e-19]
    const %v: float32[1x1] = [9.223372e+18]
    %c: float32[5x1] = fully_connected(%x, %w) from "c"
    %y: float32[5x1] = fully_connected(%c, %v) from "y"
    output %y)",
             R"(
    input %x: float32[5x1]
    const %w.1.1.1.1.1.1.1.1: float32[1x1] = [3.0517578e-05]
    const %v.1.1.1.1.1.1.1.1: float32[1x1] = [32768.0]
    %c: float32[5x1] = fully_connected(%x, %w.1.1.1.1.1.1.1.1) from "c"
    %y: float32[5x1] = fully_connected(%c, %v.1.1.1.1.1.1.1.1) from "y"
    output %y)");
}

// `first` makes %c[1x2x2x2] of the image %x[1x2x2x2], `second` reads it; both with weights that
// equalization would change.
void ExpectStays(absl::string_view first, absl::string_view second) {
  ExpectNoRewrite(EqualizeWeights, absl::StrCat(R"(
    input %x: float32[1x2x2x2]
    input %computed: float32[2x1x1x2]
    input %bias: float32[2]
    const %w: float32[2x1x1x2] = [16.0, 1.0, 0.25, 0.125]
    const %g: float32[2x1x1x1] = [16.0, 0.25]
    const %i: float32[2x1x1x2] = [inf, 1.0, inf, 0.125]
    const %j: float32[2x1x1x2] = splat inf
    const %v: float32[2x1x1x2] = [1.0, 1.0, 1.0, 1.0]
    %c: float32[1x2x2x2] = )",
                                                first, R"( from "c"
    %y: float32[1x2x2x2] = )",
                                                second, R"( from "y"
    output %y
    output %w
    output %g
    output %i
    output %j
    output %v)"));
}

TEST(EqualizeWeightsTest, ActivationsThatDontScaleStay) {
  ExpectStays("conv2d(%x, %w) {min=0.5}", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w) {max=0.0}", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w) {activation=\"tanh\"}", "conv2d(%c, %v)");
}

TEST(EqualizeWeightsTest, GroupsStay) {
  ExpectStays("conv2d(%x, %g) {groups=2}", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w)", "conv2d(%c, %g) {groups=2}");
}

TEST(EqualizeWeightsTest, ComputedWeightsStay) {
  ExpectStays("conv2d(%x, %computed)", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w)", "conv2d(%c, %computed)");
  ExpectStays("conv2d(%x, %w, %bias)", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w)", "conv2d(%c, %v, %bias)");
}

TEST(EqualizeWeightsTest, InfiniteWeightsStay) {
  ExpectStays("conv2d(%x, %i)", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %v)", "conv2d(%c, %j)");
}

TEST(EqualizeWeightsTest, TransposedConvolutionsStay) {
  ExpectStays("conv_transpose2d(%x, %w)", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w)", "conv_transpose2d(%c, %v)");
}

TEST(EqualizeWeightsTest, SumsBesideTheirResultsStay) {
  ExpectStays("conv2d(%x, %w, _, _, %x)", "conv2d(%c, %v)");
  ExpectStays("conv2d(%x, %w)", "conv2d(%x, %v, _, _, %c)");
  ExpectStays("conv2d(%x, %w)", "conv2d(%c, %v, _, _, %x)");
}

TEST(EqualizeWeightsTest, OtherReadersStay) { ExpectStays("conv2d(%x, %w)", "neg(%c)"); }

TEST(EqualizeWeightsTest, AResultThatIsReadTwiceStays) {
  ExpectNoRewrite(EqualizeWeights, R"(
    input %x: float32[5x1]
    const %w: float32[1x1] = [64.0]
    const %v: float32[1x1] = [1.0]
    %c: float32[5x1] = fully_connected(%x, %w) from "c"
    %y: float32[5x1] = fully_connected(%c, %v) from "y"
    %z: float32[5x1] = fully_connected(%c, %v) from "z"
    output %y
    output %z)");
}

TEST(EqualizeWeightsTest, LimitsMayBeIntegers) {
  ExpectPass(EqualizeWeights, R"(
    input %x: float32[5x1]
    const %w: float32[1x1] = [16.0]
    const %v: float32[1x1] = [1.0]
    %c: float32[5x1] = fully_connected(%x, %w) {min=0} from "c"
    %y: float32[5x1] = fully_connected(%c, %v) from "y"
    output %y)",
             R"(
    input %x: float32[5x1]
    const %w.1: float32[1x1] = [4.0]
    const %v.1: float32[1x1] = [4.0]
    %c: float32[5x1] = fully_connected(%x, %w.1) {min=0} from "c"
    %y: float32[5x1] = fully_connected(%c, %v.1) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
