#include "compiler/graph/passes/fold_constants.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FoldConstantsTest, OpsOverConstantsBecomeConstants) {
  ExpectPass(FoldConstants, R"(
    input %x: float32[4]
    const %c: float32[2x2] = [1.0, 2.0, 3.0, 4.0]
    %t: float32[2x2] = transpose(%c) {perm=[1, 0]} from "t"
    %r: float32[4] = reshape(%t) {shape=[4]} from "r"
    %y: float32[8] = concat(%x, %r) {axis=0} from "y"
    output %y)",
             R"(
    input %x: float32[4]
    const %r.1: float32[4] = [1.0, 3.0, 2.0, 4.0]
    %y: float32[8] = concat(%x, %r.1) {axis=0} from "y"
    output %y)");
}

TEST(FoldConstantsTest, LeavesOpsThatDependOnInputs) {
  ExpectNoRewrite(FoldConstants, R"(
    input %x: float32[4]
    const %c: float32[4] = splat 1.0
    %y: float32[8] = concat(%x, %c) {axis=0} from "y"
    output %y)");
}

TEST(FoldConstantsTest, AnExpandOfMoreThanTheLimitStaysAnOp) {
  ExpectNoRewrite(FoldConstants, R"(
    input %x: float32[1]
    const %c: float32[1] = [1.0]
    %e: float32[20000000] = expand(%c) {shape=[20000000]} from "e"
    %y: float32[1] = slice(%e) {sizes=[1], starts=[5]} from "y"
    output %y
    output %x)");
}

TEST(FoldConstantsTest, AnOpWithoutAKernelStays) {
  // Cumulative sums of quantized integers aren't computed anywhere.
  ExpectNoRewrite(FoldConstants, R"(
    const %c: uint8[4]<affine 0.5 3> = [1, 2, 3, 4]
    %y: uint8[4]<affine 0.5 3> = cumsum(%c) {axis=0} from "y"
    output %y)");
}

TEST(FoldConstantsTest, OtherReadersOfAConstantKeepIt) {
  ExpectPass(FoldConstants, R"(
    input %x: float32[2x3]
    const %c: float32[2x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    %n: float32[2x3] = neg(%c) from "n"
    %a: float32[2x3] = add(%x, %n) from "a"
    %y: float32[2x3] = mul(%a, %c) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    const %c: float32[2x3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    const %n.1: float32[2x3] = [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]
    %a: float32[2x3] = add(%x, %n.1) from "a"
    %y: float32[2x3] = mul(%a, %c) from "y"
    output %y)");
}

TEST(FoldConstantsTest, AnOutputBecomesAConstantOfItsName) {
  ExpectPass(FoldConstants, R"(
    input %x: float32[2]
    const %c: float32[2] = [1.0, 2.0]
    %n: float32[2] = neg(%c) from "n"
    output %n
    output %x)",
             R"(
    input %x: float32[2]
    const %n: float32[2] = [-1.0, -2.0]
    output %n
    output %x)");
}

TEST(FoldConstantsTest, QuantizersComeAlong) {
  ExpectPass(FoldConstants, R"(
    input %x: uint8[3]<affine 0.5 3>
    const %c: uint8[2x3]<affine 0.5 3> = [1, 2, 3, 4, 5, 6]
    %s: uint8[1x3]<affine 0.5 3> = slice(%c) {sizes=[1, 3], starts=[1, 0]} from "s"
    %y: uint8[1x3]<affine 1.0 9> = add(%x, %s) from "y"
    output %y)",
             R"(
    input %x: uint8[3]<affine 0.5 3>
    const %s.1: uint8[1x3]<affine 0.5 3> = [4, 5, 6]
    %y: uint8[1x3]<affine 1.0 9> = add(%x, %s.1) from "y"
    output %y)");
}

TEST(FoldConstantsTest, AResultOf64MiBIsFolded) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[16777216]
    const %c: float32[1] = [1.0]
    %e: float32[16777216] = expand(%c) {shape=[16777216]} from "e"
    %y: float32[16777216] = add(%x, %e) from "y"
    output %y)");
  const absl::StatusOr<int> rewrites = FoldConstants(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 1);
  EXPECT_EQ(graph.tensors().size(), 3u) << "the constant that was expanded stays";
}

TEST(FoldConstantsTest, OneByteMoreThan64MiBStaysAnOp) {
  ExpectNoRewrite(FoldConstants, R"(
    input %x: bool[1]
    const %c: bool[1] = [1]
    %e: bool[67108865] = expand(%c) {shape=[67108865]} from "e"
    %y: bool[1] = slice(%e) {sizes=[1], starts=[5]} from "y"
    output %y
    output %x)");
}

}  // namespace
}  // namespace synap_internal
