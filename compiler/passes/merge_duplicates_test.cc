#include "compiler/passes/merge_duplicates.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(MergeDuplicatesTest, TheFirstOfTwinsStays) {
  ExpectPass(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %b: float32[3x2] = transpose(%x) {perm=[1, 0]} from "b"
    %y: float32[6x2] = concat(%a, %b) {axis=0} from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %y: float32[6x2] = concat(%a, %a) {axis=0} from "y"
    output %y)");
}

TEST(MergeDuplicatesTest, OtherAttributesAreAnotherOp) {
  ExpectNoRewrite(MergeDuplicates, R"(
    input %x: float32[2x2]
    %a: float32[2x2] = transpose(%x) {perm=[1, 0]} from "a"
    %b: float32[2x2] = transpose(%x) {perm=[0, 1]} from "b"
    output %a
    output %b)");
}

TEST(MergeDuplicatesTest, OutputsKeepTheirNames) {
  ExpectNoRewrite(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %b: float32[3x2] = transpose(%x) {perm=[1, 0]} from "b"
    output %a
    output %b)");
}

}  // namespace
}  // namespace synap_internal
