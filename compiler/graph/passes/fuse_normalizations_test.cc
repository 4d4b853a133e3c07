#include "compiler/graph/passes/fuse_normalizations.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr float kRounding = 1e-5f;

TEST(FuseNormalizationsTest, LayerNormBecomesOneOp) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[1x2x4]
    const %e: float32[] = [0.5]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %m: float32[1x2x1] = reduce_mean(%x) {axes=[-1], keep_dims=1} from "mean"
    %c: float32[1x2x4] = sub(%x, %m) from "sub"
    %q: float32[1x2x4] = square(%c) from "pow"
    %v: float32[1x2x1] = reduce_mean(%q) {axes=[-1], keep_dims=1} from "variance"
    %a: float32[1x2x1] = add(%v, %e) from "epsilon"
    %d: float32[1x2x1] = sqrt(%a) from "sqrt"
    %n: float32[1x2x4] = div(%c, %d) from "div"
    %t: float32[1x2x4] = mul(%n, %s) from "scale"
    %y: float32[1x2x4] = add(%b, %t) from "bias"
    output %y)",
             R"(
    input %x: float32[1x2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %y: float32[1x2x4] = normalization(%x, %s, %b) {axes=[2], epsilon=0.5} from "mean", "sub", "pow", "variance", "epsilon", "sqrt", "div", "scale", "bias"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, RmsNormDoesNotCenter) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[1] = [0.5]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %q: float32[2x4] = mul(%x, %x) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%e, %v) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %n: float32[2x4] = mul(%x, %r) from "n"
    %y: float32[2x4] = mul(%s, %n) from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[2x4] = normalization(%x, %s) {axes=[1], center=0, epsilon=0.5} from "q", "v", "a", "r", "n", "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, ReciprocalOfARootIsOne) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[1x3x2x4]
    %m: float32[1x1x1x4] = reduce_mean(%x) {axes=[2, 1]} from "m"
    %c: float32[1x3x2x4] = sub(%x, %m) from "c"
    %q: float32[1x3x2x4] = square(%c) from "q"
    %v: float32[1x1x1x4] = reduce_mean(%q) {axes=[1, 2]} from "v"
    %d: float32[1x1x1x4] = sqrt(%v) from "d"
    %i: float32[1x1x1x4] = reciprocal(%d) from "i"
    %y: float32[1x3x2x4] = mul(%i, %c) from "y"
    output %y)",
             R"(
    input %x: float32[1x3x2x4]
    %y: float32[1x3x2x4] = normalization(%x) {axes=[1, 2], epsilon=0.0} from "m", "c", "q", "v", "d", "i", "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, TakenApartAsTensorFlowDoes) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[] = [0.5]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %m: float32[2x1] = reduce_mean(%x) {axes=[1]} from "m"
    %c: float32[2x4] = sub(%x, %m) from "c"
    %q: float32[2x4] = square(%c) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%v, %e) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %f: float32[2x4] = mul(%r, %s) from "f"
    %t: float32[2x4] = mul(%x, %f) from "t"
    %o: float32[2x4] = mul(%m, %f) from "o"
    %h: float32[2x4] = sub(%b, %o) from "h"
    %y: float32[2x4] = add(%t, %h) from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %y: float32[2x4] = normalization(%x, %s, %b) {axes=[1], epsilon=0.5} from "m", "c", "q", "v", "a", "r", "f", "t", "o", "h", "y"
    output %y)",
             kRounding);
}

// With the mean's negative: a scale and a bias, neither of them (also where they are ones and
// zeros, which are folded before), and a scale alone.
TEST(FuseNormalizationsTest, TakenApartAsKerasDoes) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[] = [0.5]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %m: float32[2x1] = reduce_mean(%x) {axes=[1]} from "m"
    %g: float32[2x1] = neg(%m) from "g"
    %c: float32[2x4] = sub(%x, %m) from "c"
    %q: float32[2x4] = square(%c) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%v, %e) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %f: float32[2x4] = mul(%r, %s) from "f"
    %o: float32[2x4] = mul(%g, %f) from "o"
    %h: float32[2x4] = add(%o, %b) from "h"
    %t: float32[2x4] = mul(%x, %f) from "t"
    %y: float32[2x4] = add(%t, %h) from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %y: float32[2x4] = normalization(%x, %s, %b) {axes=[1], epsilon=0.5} from "m", "g", "c", "q", "v", "a", "r", "f", "o", "h", "t", "y"
    output %y)",
             kRounding);
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[] = [0.5]
    %m: float32[2x1] = reduce_mean(%x) {axes=[1]} from "m"
    %g: float32[2x1] = neg(%m) from "g"
    %c: float32[2x4] = sub(%x, %m) from "c"
    %q: float32[2x4] = square(%c) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%v, %e) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %o: float32[2x1] = mul(%g, %r) from "o"
    %t: float32[2x4] = mul(%x, %r) from "t"
    %y: float32[2x4] = add(%o, %t) from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    %y: float32[2x4] = normalization(%x) {axes=[1], epsilon=0.5} from "m", "g", "c", "q", "v", "a", "r", "o", "t", "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, TakenApartAsKerasDoesWithAScaleAlone) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[] = [0.5]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %m: float32[2x1] = reduce_mean(%x) {axes=[1]} from "m"
    %g: float32[2x1] = neg(%m) from "g"
    %c: float32[2x4] = sub(%x, %m) from "c"
    %q: float32[2x4] = square(%c) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%v, %e) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %f: float32[2x4] = mul(%r, %s) from "f"
    %o: float32[2x4] = mul(%g, %f) from "o"
    %t: float32[2x4] = mul(%x, %f) from "t"
    %y: float32[2x4] = add(%t, %o) from "y"
    output %y)",
             R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %y: float32[2x4] = normalization(%x, %s) {axes=[1], epsilon=0.5} from "m", "g", "c", "q", "v", "a", "r", "f", "o", "t", "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, GroupsKeepTheirChannels) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[1x4x3x2]
    const %e: float32[] = [0.5]
    const %one: float32[2x1] = [1.0, 1.0]
    const %zero: float32[1] = [0.0]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    const %b: float32[4x1x1] = [4.0, 3.0, 2.0, 1.0]
    %g: float32[1x2x12] = reshape(%x) {shape=[1, 2, 12]} from "g"
    %m: float32[1x2x1] = reduce_mean(%g) {axes=[2]} from "m"
    %c: float32[1x2x12] = sub(%g, %m) from "c"
    %q: float32[1x2x12] = square(%c) from "q"
    %v: float32[1x2x1] = reduce_mean(%q) {axes=[2]} from "v"
    %a: float32[1x2x1] = add(%v, %e) from "a"
    %d: float32[1x2x1] = sqrt(%a) from "d"
    %n: float32[1x2x12] = div(%c, %d) from "n"
    %n1: float32[1x2x12] = mul(%n, %one) from "n1"
    %n2: float32[1x2x12] = add(%n1, %zero) from "n2"
    %p: float32[1x4x3x2] = reshape(%n2) {shape=[1, 4, 3, 2]} from "p"
    %h: float32[1x3x2x4] = transpose(%p) {perm=[0, 2, 3, 1]} from "h"
    %t: float32[1x3x2x4] = mul(%h, %s) from "t"
    output %t)",
             R"(
    input %x: float32[1x4x3x2]
    const %s.1: float32[2x2x1] = [1.0, 2.0, 3.0, 4.0]
    %t.groups: float32[1x2x2x6] = reshape(%x) {shape=[1, 2, 2, 6]} from "t"
    %t.1: float32[1x2x2x6] = normalization(%t.groups, %s.1) {axes=[2, 3], epsilon=0.5} from "g", "m", "c", "q", "v", "a", "d", "n", "n1", "n2", "p", "h", "t"
    %t.groups.1: float32[1x4x3x2] = reshape(%t.1) {shape=[1, 4, 3, 2]} from "t"
    %t: float32[1x3x2x4] = transpose(%t.groups.1) {perm=[0, 2, 3, 1]} from "h"
    output %t)",
             kRounding);
}

TEST(FuseNormalizationsTest, ChannelsThatGroupsDoNotDivideStay) {
  // Rows of 8 elements hold 4 / 3 of the channels of 6.
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[1x4x6]
    const %s: float32[4x1] = [1.0, 2.0, 3.0, 4.0]
    %g: float32[1x3x8] = reshape(%x) {shape=[1, 3, 8]} from "g"
    %q: float32[1x3x8] = square(%g) from "q"
    %v: float32[1x3x1] = reduce_mean(%q) {axes=[2]} from "v"
    %d: float32[1x3x1] = sqrt(%v) from "d"
    %n: float32[1x3x8] = div(%g, %d) from "n"
    %p: float32[1x4x6] = reshape(%n) {shape=[1, 4, 6]} from "p"
    %t: float32[1x4x6] = mul(%p, %s) from "t"
    output %t)",
             R"(
    input %x: float32[1x4x6]
    const %s: float32[4x1] = [1.0, 2.0, 3.0, 4.0]
    %g: float32[1x3x8] = reshape(%x) {shape=[1, 3, 8]} from "g"
    %n: float32[1x3x8] = normalization(%g) {axes=[2], center=0, epsilon=0.0} from "q", "v", "d", "n"
    %p: float32[1x4x6] = reshape(%n) {shape=[1, 4, 6]} from "p"
    %t: float32[1x4x6] = mul(%p, %s) from "t"
    output %t)",
             kRounding);
}

TEST(FuseNormalizationsTest, GroupsMayBeAsTheyWereAndHaveABias) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4x3]
    const %s: float32[] = [2.0]
    const %b: float32[4x1] = [4.0, 3.0, 2.0, 1.0]
    %g: float32[2x2x6] = reshape(%x) {shape=[2, 2, 6]} from "g"
    %q: float32[2x2x6] = square(%g) from "q"
    %v: float32[2x2x1] = reduce_mean(%q) {axes=[2]} from "v"
    %d: float32[2x2x1] = sqrt(%v) from "d"
    %n: float32[2x2x6] = div(%g, %d) from "n"
    %p: float32[2x4x3] = reshape(%n) {shape=[2, 4, 3]} from "p"
    %t: float32[2x4x3] = mul(%p, %s) from "t"
    %y: float32[2x4x3] = add(%t, %b) from "y"
    output %y)",
             R"(
    input %x: float32[2x4x3]
    const %s.1: float32[1x1x1] = [2.0]
    const %b.1: float32[2x2x1] = [4.0, 3.0, 2.0, 1.0]
    %y.groups: float32[2x2x2x3] = reshape(%x) {shape=[2, 2, 2, 3]} from "y"
    %y.1: float32[2x2x2x3] = normalization(%y.groups, %s.1, %b.1) {axes=[2, 3], center=0, epsilon=0.0} from "g", "q", "v", "d", "n", "p", "t", "y"
    %y: float32[2x4x3] = reshape(%y.1) {shape=[2, 4, 3]} from "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, TwoInARowAreTwo) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %q: float32[2x4] = square(%x) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[2x1] = sqrt(%v) from "d"
    %n: float32[2x4] = div(%x, %d) from "n"
    %t: float32[2x4] = add(%n, %b) from "t"
    %q2: float32[2x4] = square(%t) from "q2"
    %v2: float32[2x1] = reduce_mean(%q2) {axes=[1]} from "v2"
    %d2: float32[2x1] = rsqrt(%v2) from "d2"
    %n2: float32[2x4] = mul(%t, %d2) from "n2"
    output %n2)",
             R"(
    input %x: float32[2x4]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %t: float32[2x4] = normalization(%x, _, %b) {axes=[1], center=0, epsilon=0.0} from "q", "v", "d", "n", "t"
    %n2: float32[2x4] = normalization(%t) {axes=[1], center=0, epsilon=0.0} from "q2", "v2", "d2", "n2"
    output %n2)",
             kRounding);
}

TEST(FuseNormalizationsTest, AClampInsideStays) {
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[4x4]
    const %e: float32[] = [0.5]
    %q: float32[4x4] = square(%x) from "q"
    %v: float32[4x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[4x1] = add(%v, %e) {min=1.0} from "a"
    %d: float32[4x1] = sqrt(%a) from "d"
    %n: float32[4x4] = div(%x, %d) from "n"
    output %n)");
}

TEST(FuseNormalizationsTest, FactorsOfOtherRowsStay) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x3x4]
    const %s: float32[2x1x4] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    %q: float32[2x3x4] = square(%x) from "q"
    %v: float32[2x3x1] = reduce_mean(%q) {axes=[2]} from "v"
    %d: float32[2x3x1] = sqrt(%v) from "d"
    %n: float32[2x3x4] = div(%x, %d) from "n"
    %y: float32[2x3x4] = mul(%n, %s) from "y"
    output %y)",
             R"(
    input %x: float32[2x3x4]
    const %s: float32[2x1x4] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    %n: float32[2x3x4] = normalization(%x) {axes=[2], center=0, epsilon=0.0} from "q", "v", "d", "n"
    %y: float32[2x3x4] = mul(%n, %s) from "y"
    output %y)",
             kRounding);
}

TEST(FuseNormalizationsTest, WhatOthersReadStays) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %q: float32[2x4] = square(%x) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[2x1] = sqrt(%v) from "d"
    %n: float32[2x4] = div(%x, %d) from "n"
    %y: float32[2x4] = mul(%n, %s) from "y"
    output %y
    output %n
    output %d)",
             R"(
    input %x: float32[2x4]
    const %s: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %q: float32[2x4] = square(%x) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[2x1] = sqrt(%v) from "d"
    %n: float32[2x4] = normalization(%x) {axes=[1], center=0, epsilon=0.0} from "n"
    %y: float32[2x4] = mul(%n, %s) from "y"
    output %y
    output %n
    output %d)",
             kRounding);
}

TEST(FuseNormalizationsTest, OtherQuotientsStay) {
  // Divided by the deviation of another tensor, by one over other axes, of a dropped dimension.
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[4x4]
    input %z: float32[4x4]
    %q: float32[4x4] = square(%x) from "q"
    %v: float32[4x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[4x1] = sqrt(%v) from "d"
    %n: float32[4x4] = div(%z, %d) from "n"
    output %n)");
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[4x4]
    %q: float32[4x4] = square(%x) from "q"
    %v: float32[4] = reduce_mean(%q) {axes=[1], keep_dims=0} from "v"
    %d: float32[4] = sqrt(%v) from "d"
    %n: float32[4x4] = div(%x, %d) from "n"
    output %n)");
  // Multiplied by the deviation.
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[4x4]
    %q: float32[4x4] = square(%x) from "q"
    %v: float32[4x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[4x1] = sqrt(%v) from "d"
    %n: float32[4x4] = mul(%x, %d) from "n"
    output %n)");
  // Axes with another dimension between them.
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[4x3x4]
    %q: float32[4x3x4] = square(%x) from "q"
    %v: float32[1x3x1] = reduce_mean(%q) {axes=[0, 2]} from "v"
    %d: float32[1x3x1] = sqrt(%v) from "d"
    %n: float32[4x3x4] = div(%x, %d) from "n"
    output %n)");
}

TEST(FuseNormalizationsTest, AMeanThatIsAddedStays) {
  // x * factor + mean * factor + bias.
  ExpectNoRewrite(FuseNormalizations, R"(
    input %x: float32[2x4]
    const %e: float32[] = [0.5]
    const %b: float32[4] = [4.0, 3.0, 2.0, 1.0]
    %m: float32[2x1] = reduce_mean(%x) {axes=[1]} from "m"
    %c: float32[2x4] = sub(%x, %m) from "c"
    %q: float32[2x4] = square(%c) from "q"
    %v: float32[2x1] = reduce_mean(%q) {axes=[1]} from "v"
    %a: float32[2x1] = add(%v, %e) from "a"
    %r: float32[2x1] = rsqrt(%a) from "r"
    %o: float32[2x1] = mul(%m, %r) from "o"
    %h: float32[2x4] = add(%o, %b) from "h"
    %t: float32[2x4] = mul(%x, %r) from "t"
    %y: float32[2x4] = add(%t, %h) from "y"
    output %y)");
}

TEST(FuseNormalizationsTest, OnlyItsOwnMeanIsSubtracted) {
  ExpectPass(FuseNormalizations, R"(
    input %x: float32[3x4]
    %m: float32[1x4] = reduce_mean(%x) {axes=[0]} from "m"
    %c: float32[3x4] = sub(%x, %m) from "c"
    %q: float32[3x4] = square(%c) from "q"
    %v: float32[3x1] = reduce_mean(%q) {axes=[1]} from "v"
    %d: float32[3x1] = sqrt(%v) from "d"
    %n: float32[3x4] = div(%c, %d) from "n"
    output %n)",
             R"(
    input %x: float32[3x4]
    %m: float32[1x4] = reduce_mean(%x) {axes=[0]} from "m"
    %c: float32[3x4] = sub(%x, %m) from "c"
    %n: float32[3x4] = normalization(%c) {axes=[1], center=0, epsilon=0.0} from "q", "v", "d", "n"
    output %n)",
             kRounding);
}

}  // namespace
}  // namespace synap_internal
