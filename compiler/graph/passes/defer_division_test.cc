#include "compiler/graph/passes/defer_division.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(DeferDivisionTest, AttentionDividesItsResults) {
  ExpectPass(DeferDivision, R"(
    input %s: float32[2x3x4]
    input %v: float32[2x4x5]
    %p: float32[2x3x4] = softmax(%s) {axis=-1} from "p"
    %y: float32[2x3x5] = matmul(%p, %v) from "y"
    output %y)",
             R"(
    input %s: float32[2x3x4]
    input %v: float32[2x4x5]
    %p: float32[2x3x4] = softmax(%s) {axis=-1, normalize=0} from "p"
    %y: float32[2x3x5] = matmul(%p, %v) {normalize=1} from "y"
    output %y)",
             1e-6f);
}

TEST(DeferDivisionTest, RowsMayBeMoved) {
  ExpectPass(DeferDivision, R"(
    input %s: float32[2x3x4]
    input %v: float32[4x5]
    %p: float32[2x3x4] = softmax(%s) {axis=2} from "p"
    %r: float32[1x6x4] = reshape(%p) {shape=[1, 6, 4]} from "r"
    %t: float32[6x1x4] = transpose(%r) {perm=[1, 0, 2]} from "t"
    %y: float32[6x1x5] = matmul(%t, %v) from "y"
    output %y)",
             R"(
    input %s: float32[2x3x4]
    input %v: float32[4x5]
    %p: float32[2x3x4] = softmax(%s) {axis=2, normalize=0} from "p"
    %r: float32[1x6x4] = reshape(%p) {shape=[1, 6, 4]} from "r"
    %t: float32[6x1x4] = transpose(%r) {perm=[1, 0, 2]} from "t"
    %y: float32[6x1x5] = matmul(%t, %v) {normalize=1} from "y"
    output %y)",
             1e-6f);
}

TEST(DeferDivisionTest, OtherReadersNeedTheQuotients) {
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[3x4]
    input %v: float32[4x5]
    %p: float32[3x4] = softmax(%s) {axis=-1} from "p"
    %y: float32[3x5] = matmul(%p, %v) from "y"
    output %y
    output %p)");
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[3x4]
    input %v: float32[4x5]
    %p: float32[3x4] = softmax(%s) {axis=-1} from "p"
    %r: float32[3x4] = relu(%p) from "r"
    %y: float32[3x5] = matmul(%r, %v) from "y"
    output %y)");
}

TEST(DeferDivisionTest, WeightsOfAnotherDimensionStay) {
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[3x4]
    input %v: float32[4x5]
    %p: float32[3x4] = softmax(%s) {axis=0} from "p"
    %y: float32[3x5] = matmul(%p, %v) from "y"
    output %y)");
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[3x4]
    input %v: float32[3x5]
    %p: float32[3x4] = softmax(%s) {axis=-1} from "p"
    %t: float32[4x3] = transpose(%p) {perm=[1, 0]} from "t"
    %y: float32[4x5] = matmul(%t, %v) from "y"
    output %y)");
}

TEST(DeferDivisionTest, TransposedWeightsOnTheRightComeFirst) {
  ExpectPass(DeferDivision, R"(
    input %s: float32[2x3x4]
    input %v: float32[2x5x4]
    %p: float32[2x3x4] = softmax(%s) {axis=-1} from "p"
    %t: float32[2x4x3] = transpose(%p) {perm=[0, 2, 1]} from "t"
    %y: float32[2x5x3] = matmul(%v, %t) from "y"
    output %y)",
             R"(
    input %s: float32[2x3x4]
    input %v: float32[2x5x4]
    %p: float32[2x3x4] = softmax(%s) {axis=-1, normalize=0} from "p"
    %v.1: float32[2x4x5] = transpose(%v) {perm=[0, 2, 1]} from "y"
    %y.1: float32[2x3x5] = matmul(%p, %v.1) {normalize=1} from "y"
    %y: float32[2x5x3] = transpose(%y.1) {perm=[0, 2, 1]} from "y"
    output %y)",
             1e-6f);
}

TEST(DeferDivisionTest, WeightsOnTheRightStay) {
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[4x4]
    input %v: float32[5x4]
    %p: float32[4x4] = softmax(%s) {axis=-1} from "p"
    %y: float32[5x4] = matmul(%v, %p) from "y"
    output %y)");
  ExpectNoRewrite(DeferDivision, R"(
    input %s: float32[3x4]
    input %v: float32[5x4]
    %p: float32[3x4] = softmax(%s) {axis=0} from "p"
    %t: float32[4x3] = transpose(%p) {perm=[1, 0]} from "t"
    %y: float32[5x3] = matmul(%v, %t) from "y"
    output %y)");
}

TEST(DeferDivisionTest, QuantizedWeightsStay) {
  ExpectNoRewrite(DeferDivision, R"(
    input %s: uint8[3x4]<affine 0.5 10>
    input %v: uint8[4x5]<affine 0.5 10>
    %p: uint8[3x4]<affine 0.00390625 0> = softmax(%s) {axis=-1} from "p"
    %y: uint8[3x5]<affine 0.5 10> = matmul(%p, %v) from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
