#include "compiler/passes/sink_transposes.h"

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

}  // namespace
}  // namespace synap_internal
