#include "compiler/passes/fold_constants.h"

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

TEST(FoldConstantsTest, LeavesWhatDependsOnInputs) {
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

}  // namespace
}  // namespace synap_internal
