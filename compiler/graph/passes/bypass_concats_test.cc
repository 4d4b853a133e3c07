#include "compiler/graph/passes/bypass_concats.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(BypassConcatsTest, BoxesAndScoresThatAreTakenApartStayApart) {
  ExpectPass(BypassConcats, R"(
    input %b: float32[1x4x10]
    input %s: float32[1x3x10]
    %k: float32[1x7x10] = concat(%b, %s) {axis=1} from "joined"
    %t: float32[1x10x7] = transpose(%k) {perm=[0, 2, 1]} from "turned"
    %x: float32[1x10x4] = slice(%t) {starts=[0, 0, 0], sizes=[1, 10, 4]} from "boxes"
    %y: float32[1x10x3] = slice(%t) {starts=[0, 0, 4], sizes=[1, 10, 3]} from "scores"
    output %x
    output %y)",
             R"(
    input %b: float32[1x4x10]
    input %s: float32[1x3x10]
    %x.1: float32[1x10x4] = transpose(%b) {perm=[0, 2, 1]} from "boxes"
    %x: float32[1x10x4] = slice(%x.1) {starts=[0, 0, 0], sizes=[1, 10, 4]} from "boxes"
    %y.1: float32[1x10x3] = transpose(%s) {perm=[0, 2, 1]} from "scores"
    %y: float32[1x10x3] = slice(%y.1) {starts=[0, 0, 0], sizes=[1, 10, 3]} from "scores"
    output %x
    output %y)");
}

TEST(BypassConcatsTest, APartOfAnOperandOfAConcatInsideIsCutThere) {
  ExpectPass(BypassConcats, R"(
    input %a: float32[1x4]
    input %b: float32[1x3]
    input %c: float32[1x2]
    %j: float32[1x7] = concat(%a, %b) {axis=1} from "inner"
    %k: float32[1x9] = concat(%j, %c) {axis=-1} from "outer"
    %y: float32[1x1] = slice(%k) {starts=[0, 5], sizes=[1, 1]} from "y"
    output %y)",
             R"(
    input %a: float32[1x4]
    input %b: float32[1x3]
    input %c: float32[1x2]
    %y.1: float32[1x1] = slice(%b) {starts=[0, 1], sizes=[1, 1]} from "y"
    %y: float32[1x1] = slice(%y.1) {starts=[0, 0], sizes=[1, 1]} from "y"
    output %y)");
}

TEST(BypassConcatsTest, LevelsThatAreJoinedAlikeAreTakenApartBeforeTheyAreJoined) {
  ExpectPass(BypassConcats, R"(
    input %a: float32[1x2x2x4]
    input %b: float32[1x2x2x3]
    input %c: float32[1x1x1x4]
    input %d: float32[1x1x1x3]
    %j: float32[1x2x2x7] = concat(%a, %b) {axis=3} from "large"
    %k: float32[1x1x1x7] = concat(%c, %d) {axis=3} from "small"
    %l: float32[1x4x7] = reshape(%j) {shape=[1, 4, 7]} from "l"
    %m: float32[1x1x7] = reshape(%k) {shape=[1, 1, 7]} from "m"
    %n: float32[1x5x7] = concat(%l, %m) {axis=1} from "levels"
    %y: float32[1x5x3] = slice(%n) {starts=[0, 0, 4], sizes=[1, 5, 3]} from "y"
    output %y)",
             R"(
    input %a: float32[1x2x2x4]
    input %b: float32[1x2x2x3]
    input %c: float32[1x1x1x4]
    input %d: float32[1x1x1x3]
    %y.1: float32[1x4x3] = reshape(%b) {shape=[1, 4, 3]} from "y"
    %y.2: float32[1x1x3] = reshape(%d) {shape=[1, 1, 3]} from "y"
    %y.3: float32[1x5x3] = concat(%y.1, %y.2) {axis=1} from "y"
    %y: float32[1x5x3] = slice(%y.3) {starts=[0, 0, 0], sizes=[1, 5, 3]} from "y"
    output %y)");
}

TEST(BypassConcatsTest, RowsChosenByAGatherAreChosenOfEachPart) {
  ExpectPass(BypassConcats, R"(
    input %b: float32[10x4]
    input %s: float32[10x3]
    input %i: int64[5]
    %k: float32[10x7] = concat(%b, %s) {axis=1} from "joined"
    %g: float32[5x7] = gather(%k, %i) {axis=0} from "best"
    %y: float32[5x2] = slice(%g) {starts=[0, 4], sizes=[5, 2], steps=[1, 2]} from "y"
    output %y)",
             R"(
    input %b: float32[10x4]
    input %s: float32[10x3]
    input %i: int64[5]
    %y.1: float32[5x3] = gather(%s, %i) {axis=0} from "y"
    %y: float32[5x2] = slice(%y.1) {starts=[0, 0], sizes=[5, 2], steps=[1, 2]} from "y"
    output %y)");
}

TEST(BypassConcatsTest, AGatherOfOneOperandReadsIt) {
  ExpectPass(BypassConcats, R"(
    input %b: float32[1x4x10]
    input %s: float32[1x3x10]
    const %i: int64[2] = [-1, 5]
    %k: float32[1x7x10] = concat(%b, %s) {axis=1} from "joined"
    %y: float32[1x2x10] = gather(%k, %i) {axis=1} from "y"
    output %y)",
             R"(
    input %b: float32[1x4x10]
    input %s: float32[1x3x10]
    const %i.1: int64[2] = [1, 0]
    %y.1: float32[1x2x10] = slice(%s) {starts=[0, 1, 0], sizes=[1, 2, 10]} from "y"
    %y: float32[1x2x10] = gather(%y.1, %i.1) {axis=1} from "y"
    output %y)");
}

TEST(BypassConcatsTest, WhatHoldsPartsOfTwoOperandsStays) {
  ExpectNoRewrite(BypassConcats, R"(
    input %a: float32[1x4]
    input %b: float32[1x4]
    %k: float32[1x8] = concat(%a, %b) {axis=1} from "k"
    %x: float32[1x4] = slice(%k) {starts=[0, 2], sizes=[1, 4]} from "x"
    %y: float32[1x4] = slice(%k) {starts=[0, 3], sizes=[1, 4], steps=[1, -1]} from "backwards"
    %r: float32[1x2x4] = reshape(%k) {shape=[1, 2, 4]} from "r"
    %z: float32[1x2x1] = slice(%r) {starts=[0, 0, 1], sizes=[1, 2, 1]} from "z"
    output %x
    output %y
    output %z)");
}

TEST(BypassConcatsTest, AnOperandThatIsRequantizedStays) {
  ExpectNoRewrite(BypassConcats, R"(
    input %a: uint8[1x4]<affine 0.5 3>
    input %b: uint8[1x4]<affine 0.25 3>
    %k: uint8[1x8]<affine 0.5 3> = concat(%a, %b) {axis=1} from "k"
    %y: uint8[1x4]<affine 0.5 3> = slice(%k) {starts=[0, 4], sizes=[1, 4]} from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
