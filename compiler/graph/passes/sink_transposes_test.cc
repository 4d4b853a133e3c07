#include "compiler/graph/passes/sink_transposes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(SinkTransposesTest, InverseTransposesCancel) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[1x4x5x3]
    %t: float32[1x3x4x5] = transpose(%x) {perm=[0, 3, 1, 2]} from "a"
    %u: float32[1x4x5x3] = transpose(%t) {perm=[0, 2, 3, 1]} from "b"
    %y: float32[1x4x5x3] = slice(%u) {sizes=[1, 4, 5, 3], starts=[0, 0, 0, 0]} from "c"
    output %y)",
             R"(
    input %x: float32[1x4x5x3]
    %y: float32[1x4x5x3] = slice(%x) {sizes=[1, 4, 5, 3], starts=[0, 0, 0, 0]} from "c"
    output %y)");
}

TEST(SinkTransposesTest, CrossesConcatSliceAndPad) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[1x4x5x3]
    %t: float32[1x3x4x5] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %c: float32[1x6x4x5] = concat(%t, %t) {axis=1} from "c"
    %s: float32[1x2x4x4] = slice(%c) {sizes=[1, 2, 4, 4], starts=[0, 3, 0, 1]} from "s"
    %y: float32[1x2x5x4] = pad(%s) {pads=[0, 0, 1, 0, 0, 0, 0, 0]} from "p"
    output %y)",
             R"(
    input %x: float32[1x4x5x3]
    %c.nhwc: float32[1x4x5x6] = concat(%x, %x) {axis=3} from "c"
    %s.nhwc: float32[1x4x4x2] = slice(%c.nhwc) {sizes=[1, 4, 4, 2], starts=[0, 0, 1, 3]} from "s"
    %y.nhwc: float32[1x5x4x2] = pad(%s.nhwc) {pads=[0, 1, 0, 0, 0, 0, 0, 0]} from "p"
    %y: float32[1x2x5x4] = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "p"
    output %y)");
}

TEST(SinkTransposesTest, QuantizersStay) {
  ExpectPass(SinkTransposes, R"(
    input %x: uint8[1x4x5x3]<affine 0.5 10>
    %t: uint8[1x3x4x5]<affine 0.5 10> = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %y: uint8[1x3x4x5]<affine 0.25 3> = sigmoid(%t) from "y"
    output %y)",
             R"(
    input %x: uint8[1x4x5x3]<affine 0.5 10>
    %y.nhwc: uint8[1x4x5x3]<affine 0.25 3> = sigmoid(%x) from "y"
    %y: uint8[1x3x4x5]<affine 0.25 3> = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, AChannelShuffleStaysInNhwc) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[1x4x5x6]
    %t: float32[1x6x4x5] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %g: float32[1x2x3x4x5] = reshape(%t) {shape=[1, 2, 3, 4, 5]} from "g"
    %s: float32[1x3x2x4x5] = transpose(%g) {perm=[0, 2, 1, 3, 4]} from "s"
    %m: float32[1x6x4x5] = reshape(%s) {shape=[1, 6, 4, 5]} from "m"
    %u: float32[1x4x5x6] = transpose(%m) {perm=[0, 2, 3, 1]} from "u"
    %y: float32[1x2x5x6] = slice(%u) {sizes=[1, 2, 5, 6], starts=[0, 1, 0, 0]} from "y"
    output %y)",
             R"(
    input %x: float32[1x4x5x6]
    %g.nhwc: float32[1x4x5x2x3] = reshape(%x) {shape=[1, 4, 5, 2, 3]} from "g"
    %m.merged: float32[1x4x5x3x2] = transpose(%g.nhwc) {perm=[0, 1, 2, 4, 3]} from "m"
    %m.nhwc: float32[1x4x5x6] = reshape(%m.merged) {shape=[1, 4, 5, 6]} from "m"
    %y: float32[1x2x5x6] = slice(%m.nhwc) {sizes=[1, 2, 5, 6], starts=[0, 1, 0, 0]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, AReshapeThatMixesDimensionsStopsIt) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[1x4x5x3]
    %t: float32[1x3x4x5] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %y: float32[60] = reshape(%t) {shape=[60]} from "r"
    output %y)");
}

// `call` gives a tensor of `shape` of %t = transpose(%x[2x3x4x5]) {perm=[0, 3, 1, 2]}, [2x5x3x4].
// Behind the pass it is `moved` over %x, of `moved_shape`, transposed by `perm`.
void ExpectSinks(absl::string_view shape, absl::string_view call, absl::string_view moved_shape,
                 absl::string_view moved, absl::string_view perm) {
  ExpectPass(SinkTransposes,
             absl::StrCat(R"(
    input %x: float32[2x3x4x5]
    %t: float32[2x5x3x4] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %y: float32)",
                          shape, " = ", call, R"( from "y"
    output %y)"),
             absl::StrCat(R"(
    input %x: float32[2x3x4x5]
    %y.nhwc: float32)",
                          moved_shape, " = ", moved, R"( from "y"
    %y: float32)",
                          shape, " = transpose(%y.nhwc) {perm=", perm, R"(} from "y"
    output %y)"));
}

TEST(SinkTransposesTest, AxesAreThoseOfTheOperand) {
  ExpectSinks("[2x5x3x4]", "softmax(%t) {axis=1}", "[2x3x4x5]", "softmax(%x) {axis=3}",
              "[0, 3, 1, 2]");
  ExpectSinks("[2x5x3x4]", "log_softmax(%t)", "[2x3x4x5]", "log_softmax(%x) {axis=2}",
              "[0, 3, 1, 2]");
  ExpectSinks("[2x5x6x4]", "concat(%t, %t) {axis=-2}", "[2x6x4x5]", "concat(%x, %x) {axis=1}",
              "[0, 3, 1, 2]");
}

TEST(SinkTransposesTest, ReductionsKeepTheirDimensions) {
  ExpectSinks("[2x1x3x4]", "reduce_max(%t) {axes=[1]}", "[2x3x4x1]", "reduce_max(%x) {axes=[3]}",
              "[0, 3, 1, 2]");
  ExpectSinks("[2x1x3x1]", "reduce_min(%t) {axes=[-1, 1], keep_dims=1}", "[2x3x1x1]",
              "reduce_min(%x) {axes=[2, 3], keep_dims=1}", "[0, 3, 1, 2]");
}

TEST(SinkTransposesTest, ReductionsLeaveDimensionsOut) {
  // The dimensions 5x3 of 2x5x3(x4) are 3x(4x)5 in memory.
  ExpectSinks("[2x5x3]", "reduce_max(%t) {axes=[3], keep_dims=0}", "[2x3x5]",
              "reduce_max(%x) {axes=[2], keep_dims=0}", "[0, 2, 1]");
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4x5]
    %t: float32[2x5x3x4] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %y: float32[2x4] = reduce_max(%t) {axes=[1, -2], keep_dims=0} from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4x5]
    %y: float32[2x4] = reduce_max(%x) {axes=[1, 3], keep_dims=0} from "y"
    output %y)");
}

TEST(SinkTransposesTest, SlicesWithSteps) {
  ExpectSinks(
      "[1x2x2x4]", "slice(%t) {sizes=[1, 2, 2, 4], starts=[1, 4, 0, 0], steps=[1, -3, 2, 1]}",
      "[1x2x4x2]", "slice(%x) {sizes=[1, 2, 4, 2], starts=[1, 0, 0, 4], steps=[1, 2, 1, -3]}",
      "[0, 3, 1, 2]");
}

TEST(SinkTransposesTest, PadsOnBothSides) {
  ExpectSinks("[3x8x8x13]", "pad(%t) {pads=[0, 1, 2, 3, 1, 2, 3, 6]}", "[3x8x13x8]",
              "pad(%x) {pads=[0, 2, 3, 1, 1, 3, 6, 2]}", "[0, 3, 1, 2]");
}

TEST(SinkTransposesTest, ConstantsArePermutedTheOtherWay) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[4x1x5]
    const %c: float32[5x1x1] = [1.0, 2.0, 3.0, 4.0, 5.0]
    %t: float32[5x4x1] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %y: float32[5x4x1] = sub(%c, %t) from "y"
    output %y)",
             R"(
    input %x: float32[4x1x5]
    const %c.1.1: float32[1x1x5] = [1.0, 2.0, 3.0, 4.0, 5.0]
    %y.nhwc: float32[4x1x5] = sub(%c.1.1, %x) from "y"
    %y: float32[5x4x1] = transpose(%y.nhwc) {perm=[2, 0, 1]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, OperandsTransposedTheSameWayLoseBothTransposes) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4]
    input %z: float32[2x3x4]
    %t: float32[4x2x3] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %u: float32[4x2x3] = transpose(%z) {perm=[2, 0, 1]} from "u"
    %y: float32[4x2x3] = sub(%t, %u) from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4]
    input %z: float32[2x3x4]
    %y.nhwc: float32[2x3x4] = sub(%x, %z) from "y"
    %y: float32[4x2x3] = transpose(%y.nhwc) {perm=[2, 0, 1]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, OperandsWhoseDataWouldMoveStay) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[2x3x4]
    input %z: float32[4x2x3]
    %t: float32[4x2x3] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %y: float32[4x2x3] = sub(%t, %z) from "y"
    output %y)");
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[2x3x4]
    input %z: float32[4x2x3]
    %t: float32[4x2x3] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %y: float32[4x2x3] = sub(%z, %t) from "y"
    output %y)");
}

TEST(SinkTransposesTest, OperandsOfMoreDimensionsStay) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[2x3]
    input %z: float32[5x3x2]
    %t: float32[3x2] = transpose(%x) {perm=[1, 0]} from "t"
    %y: float32[5x3x2] = sub(%t, %z) from "y"
    output %y)");
}

TEST(SinkTransposesTest, OtherOpsStay) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x1x1x3] = [1.0, 2.0, 3.0]
    %t: float32[1x2x4x3] = transpose(%x) {perm=[0, 3, 2, 1]} from "t"
    %y: float32[1x2x4x1] = conv2d(%t, %w) from "y"
    output %y)");
}

TEST(SinkTransposesTest, ReshapesThatMergeDimensionsOfTheTransposed) {
  // 5 stays apart from 3x4, which are next to each other in memory.
  ExpectSinks("[2x5x12]", "reshape(%t) {shape=[2, 5, 12]}", "[2x12x5]",
              "reshape(%x) {shape=[2, 12, 5]}", "[0, 2, 1]");
}

TEST(SinkTransposesTest, TransposesBecomeOne) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4x5]
    %t: float32[2x5x3x4] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %y: float32[4x2x5x3] = transpose(%t) {perm=[3, 0, 1, 2]} from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4x5]
    %y: float32[4x2x5x3] = transpose(%x) {perm=[2, 0, 3, 1]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, TablesStayAsTheyAre) {
  ExpectPass(SinkTransposes, R"(
    input %x: uint8[2x3]<affine 0.5 10>
    const %t: uint8[256] = splat 7
    %u: uint8[3x2]<affine 0.5 10> = transpose(%x) {perm=[1, 0]} from "u"
    %y: uint8[3x2]<affine 0.25 3> = lookup(%u, %t) from "y"
    output %y)",
             R"(
    input %x: uint8[2x3]<affine 0.5 10>
    const %t: uint8[256] = splat 7
    %y.nhwc: uint8[2x3]<affine 0.25 3> = lookup(%x, %t) from "y"
    %y: uint8[3x2]<affine 0.25 3> = transpose(%y.nhwc) {perm=[1, 0]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, ScalarsStayAsTheyAre) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3]
    const %c: float32[1] = [2.0]
    %t: float32[3x2] = transpose(%x) {perm=[1, 0]} from "t"
    %y: float32[3x2] = mul(%t, %c) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    const %c: float32[1] = [2.0]
    %y.nhwc: float32[2x3] = mul(%x, %c) from "y"
    %y: float32[3x2] = transpose(%y.nhwc) {perm=[1, 0]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, OperandsWhoseDataStaysAreReshaped) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4]
    input %z: float32[4x1x1]
    %t: float32[4x2x3] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %y: float32[4x2x3] = sub(%t, %z) from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4]
    input %z: float32[4x1x1]
    %z.1: float32[1x1x4] = reshape(%z) {shape=[1, 1, 4]} from "y"
    %y.nhwc: float32[2x3x4] = sub(%x, %z.1) from "y"
    %y: float32[4x2x3] = transpose(%y.nhwc) {perm=[2, 0, 1]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, ConstantsOfFewerDimensionsArePermutedToo) {
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4]
    const %c: float32[3x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    %t: float32[4x3x2] = transpose(%x) {perm=[2, 1, 0]} from "t"
    %y: float32[4x3x2] = sub(%t, %c) from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4]
    const %c.1.2: float32[2x3x1] = [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]
    %y.nhwc: float32[2x3x4] = sub(%x, %c.1.2) from "y"
    %y: float32[4x3x2] = transpose(%y.nhwc) {perm=[2, 1, 0]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, OperandsTransposedOtherwiseStay) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[2x3x4]
    input %z: float32[4x3x2]
    %t: float32[4x2x3] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %u: float32[4x2x3] = transpose(%z) {perm=[0, 2, 1]} from "u"
    %y: float32[4x2x3] = sub(%t, %u) from "y"
    output %y)");
}

// %y = reshape(transpose(%x)), and what becomes of it.
void ExpectReshapeSinks(absl::string_view before, absl::string_view after) {
  ExpectPass(SinkTransposes, absl::StrCat(before, "\noutput %y"),
             absl::StrCat(after, "\noutput %y"));
}

TEST(SinkTransposesTest, ReshapesThatDropOnes) {
  ExpectReshapeSinks(R"(
    input %x: float32[4x1x3]
    %t: float32[1x3x4] = transpose(%x) {perm=[1, 2, 0]} from "t"
    %y: float32[3x4] = reshape(%t) {shape=[3, 4]} from "y")",
                     R"(
    input %x: float32[4x1x3]
    %y.nhwc: float32[4x3] = reshape(%x) {shape=[4, 3]} from "y"
    %y: float32[3x4] = transpose(%y.nhwc) {perm=[1, 0]} from "y")");
}

TEST(SinkTransposesTest, ReshapesThatDropOnesAtTheEnd) {
  ExpectReshapeSinks(R"(
    input %x: float32[4x1x3]
    %t: float32[3x4x1] = transpose(%x) {perm=[2, 0, 1]} from "t"
    %y: float32[3x4] = reshape(%t) {shape=[3, 4]} from "y")",
                     R"(
    input %x: float32[4x1x3]
    %y.nhwc: float32[4x3] = reshape(%x) {shape=[4, 3]} from "y"
    %y: float32[3x4] = transpose(%y.nhwc) {perm=[1, 0]} from "y")");
}

TEST(SinkTransposesTest, ReshapesThatAddOnes) {
  ExpectReshapeSinks(R"(
    input %x: float32[4x3]
    %t: float32[3x4] = transpose(%x) {perm=[1, 0]} from "t"
    %y: float32[3x4x1] = reshape(%t) {shape=[3, 4, 1]} from "y")",
                     R"(
    input %x: float32[4x3]
    %y.nhwc: float32[4x1x3] = reshape(%x) {shape=[4, 1, 3]} from "y"
    %y: float32[3x4x1] = transpose(%y.nhwc) {perm=[2, 0, 1]} from "y")");
}

TEST(SinkTransposesTest, OnesInAMergedDimensionDontSayWhereItIs) {
  ExpectReshapeSinks(R"(
    input %x: float32[1x4x5x3]
    %t: float32[5x1x3x4] = transpose(%x) {perm=[2, 0, 3, 1]} from "t"
    %y: float32[15x4] = reshape(%t) {shape=[15, 4]} from "y")",
                     R"(
    input %x: float32[1x4x5x3]
    %y.merged: float32[4x5x1x3] = transpose(%x) {perm=[1, 2, 0, 3]} from "y"
    %y.nhwc: float32[4x15] = reshape(%y.merged) {shape=[4, 15]} from "y"
    %y: float32[15x4] = transpose(%y.nhwc) {perm=[1, 0]} from "y")");
}

TEST(SinkTransposesTest, ReshapesOfNothingStay) {
  ExpectNoRewrite(SinkTransposes, R"(
    input %x: float32[0x3]
    %t: float32[3x0] = transpose(%x) {perm=[1, 0]} from "t"
    %y: float32[3x0x1] = reshape(%t) {shape=[3, 0, 1]} from "y"
    output %y)");
}

TEST(SinkTransposesTest, ReshapesThatDropOnesFromFarAway) {
  ExpectReshapeSinks(R"(
    input %x: float32[4x3x1]
    %t: float32[1x3x4] = transpose(%x) {perm=[2, 1, 0]} from "t"
    %y: float32[3x4] = reshape(%t) {shape=[3, 4]} from "y")",
                     R"(
    input %x: float32[4x3x1]
    %y.nhwc: float32[4x3] = reshape(%x) {shape=[4, 3]} from "y"
    %y: float32[3x4] = transpose(%y.nhwc) {perm=[1, 0]} from "y")");
}

TEST(SinkTransposesTest, ReshapesThatMergeDimensionsAndDropOnes) {
  ExpectReshapeSinks(R"(
    input %x: float32[5x3x2x1]
    %t: float32[2x3x5x1] = transpose(%x) {perm=[2, 1, 0, 3]} from "t"
    %y: float32[6x5] = reshape(%t) {shape=[6, 5]} from "y")",
                     R"(
    input %x: float32[5x3x2x1]
    %y.merged: float32[5x2x3x1] = transpose(%x) {perm=[0, 2, 1, 3]} from "y"
    %y.nhwc: float32[5x6] = reshape(%y.merged) {shape=[5, 6]} from "y"
    %y: float32[6x5] = transpose(%y.nhwc) {perm=[1, 0]} from "y")");
}

TEST(SinkTransposesTest, AddedOnesStayWithTheDimensionBeforeThem) {
  ExpectReshapeSinks(R"(
    input %x: float32[2x3x4]
    %t: float32[2x4x3] = transpose(%x) {perm=[0, 2, 1]} from "t"
    %y: float32[2x4x3x1] = reshape(%t) {shape=[2, 4, 3, 1]} from "y")",
                     R"(
    input %x: float32[2x3x4]
    %y.nhwc: float32[2x3x1x4] = reshape(%x) {shape=[2, 3, 1, 4]} from "y"
    %y: float32[2x4x3x1] = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "y")");
}

TEST(SinkTransposesTest, WhatTakesThePlaceOfAnotherTransposeSinksAfterwards) {
  // %u moves no data between %x's dimensions: a reshape, which reads a transpose itself.
  ExpectPass(SinkTransposes, R"(
    input %x: float32[2x3x4x5]
    input %z: float32[1x1x4x3]
    %t: float32[2x5x3x4] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %u: float32[1x1x3x4] = transpose(%z) {perm=[0, 1, 3, 2]} from "u"
    %y: float32[2x5x3x4] = sub(%t, %u) from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4x5]
    input %z: float32[1x1x4x3]
    %u.1.nhwc: float32[1x4x1x3] = reshape(%z) {shape=[1, 4, 1, 3]} from "y"
    %u.1: float32[1x3x4x1] = transpose(%u.1.nhwc) {perm=[0, 3, 1, 2]} from "y"
    %y.nhwc: float32[2x3x4x5] = sub(%x, %u.1) from "y"
    %y: float32[2x5x3x4] = transpose(%y.nhwc) {perm=[0, 3, 1, 2]} from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
