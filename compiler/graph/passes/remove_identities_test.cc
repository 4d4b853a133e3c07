#include "compiler/graph/passes/remove_identities.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(RemoveIdentitiesTest, ChainsOfReshapesBecomeOne) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[2x3]
    %a: float32[6] = reshape(%x) {shape=[6]} from "a"
    %b: float32[3x2] = reshape(%a) {shape=[3, 2]} from "b"
    output %b)",
             R"(
    input %x: float32[2x3]
    %b: float32[3x2] = reshape(%x) {shape=[3, 2]} from "b"
    output %b)");
}

TEST(RemoveIdentitiesTest, ATransposeOfDimensionsOfOneIsAReshape) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[1x1x1x8]
    %y: float32[1x8x1x1] = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    output %y)",
             R"(
    input %x: float32[1x1x1x8]
    %y: float32[1x8x1x1] = reshape(%x) {shape=[1, 8, 1, 1]} from "t"
    output %y)");
}

TEST(RemoveIdentitiesTest, OpsOfNothingGo) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[2x4]
    %a: float32[2x4] = pad(%x) {pads=[0, 0, 0, 0]} from "a"
    %b: float32[2x4] = slice(%a) {sizes=[2, 4], starts=[0, 0]} from "b"
    %c: float32[2x4] = concat(%b) {axis=0} from "c"
    %d: float32[2x4] = transpose(%c) {perm=[0, 1]} from "d"
    %y: float32[4x2] = transpose(%d) {perm=[1, 0]} from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    %y: float32[4x2] = transpose(%x) {perm=[1, 0]} from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, ASliceBackwardsStays) {
  ExpectNoRewrite(RemoveIdentities, R"(
    input %x: float32[4]
    %y: float32[4] = slice(%x) {sizes=[4], starts=[3], steps=[-1]} from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, AnOutputKeepsItsName) {
  ExpectNoRewrite(RemoveIdentities, R"(
    input %x: float32[4]
    %y: float32[4] = reshape(%x) {shape=[4]} from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, AnOutputBeforeAnIdentityKeepsItsName) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[4]
    %features: float32[4] = relu(%x) from "relu"
    %b: float32[4] = reshape(%features) {shape=[4]} from "reshape"
    %y: float32[4] = neg(%b) from "neg"
    output %features
    output %y)",
             R"(
    input %x: float32[4]
    %features: float32[4] = relu(%x) from "relu"
    %y: float32[4] = neg(%features) from "neg"
    output %features
    output %y)");
}

TEST(RemoveIdentitiesTest, CastsAndExpandsOfNothingGo) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[2x3]
    %a: float32[2x3] = cast(%x) {to="float32"} from "a"
    %b: float32[2x3] = expand(%a) {shape=[2, 3]} from "b"
    %c: float32[2x3] = slice(%b) {sizes=[2, 3], starts=[0, 0], steps=[1, 1]} from "c"
    %y: float32[2x3] = neg(%c) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    %y: float32[2x3] = neg(%x) from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, OpsThatChangeSomethingStay) {
  ExpectNoRewrite(RemoveIdentities, R"(
    input %x: float32[2x3]
    input %i: int64[2x3]
    %a: float32[2x3] = cast(%i) {to="float32"} from "a"
    %b: float32[4x3] = concat(%a, %x) {axis=0} from "b"
    %c: float32[2x3] = slice(%b) {sizes=[2, 3], starts=[1, 0]} from "c"
    %d: float32[2x2x3] = expand(%c) {shape=[2, 2, 3]} from "d"
    %e: float32[2x2x4] = pad(%d) {pads=[0, 0, 0, 0, 0, 1]} from "e"
    %y: float32[2x2x4] = transpose(%e) {perm=[1, 0, 2]} from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, AConcatWithAnotherQuantizerStays) {
  ExpectNoRewrite(RemoveIdentities, R"(
    input %x: uint8[2x3]<affine 0.5 3>
    %a: uint8[2x3]<affine 0.25 3> = concat(%x) {axis=0} from "a"
    %y: uint8[2x3]<affine 0.25 9> = neg(%a) from "y"
    output %y)");
}

TEST(RemoveIdentitiesTest, AnOutputTakesThePlaceOfItsSource) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[4]
    %a: float32[4] = neg(%x) from "a"
    %y: float32[4] = reshape(%a) {shape=[4]} from "y"
    output %y)",
             R"(
    input %x: float32[4]
    %y: float32[4] = neg(%x) from "a"
    output %y)");
}

TEST(RemoveIdentitiesTest, TwoOutputsStayTwo) {
  ExpectNoRewrite(RemoveIdentities, R"(
    input %x: float32[4]
    %a: float32[4] = neg(%x) from "a"
    %y: float32[4] = reshape(%a) {shape=[4]} from "y"
    output %a
    output %y)");
}

TEST(RemoveIdentitiesTest, AReshapeInTheMiddleStaysForOthers) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[2x3]
    %a: float32[6] = reshape(%x) {shape=[6]} from "a"
    %b: float32[3x2] = reshape(%a) {shape=[3, 2]} from "b"
    %c: float32[6] = neg(%a) from "c"
    output %b
    output %c)",
             R"(
    input %x: float32[2x3]
    %a: float32[6] = reshape(%x) {shape=[6]} from "a"
    %b: float32[3x2] = reshape(%x) {shape=[3, 2]} from "b"
    %c: float32[6] = neg(%a) from "c"
    output %b
    output %c)");
}

TEST(RemoveIdentitiesTest, ReshapesThatComeBackToTheShapeAreNone) {
  ExpectPass(RemoveIdentities, R"(
    input %x: float32[2x3]
    %n: float32[2x3] = neg(%x) from "n"
    %a: float32[6] = reshape(%n) {shape=[6]} from "a"
    %b: float32[2x3] = reshape(%a) {shape=[2, 3]} from "b"
    %y: float32[2x3] = relu(%b) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    %b: float32[2x3] = neg(%x) from "n"
    %y: float32[2x3] = relu(%b) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
