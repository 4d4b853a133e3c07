#include "compiler/graph/passes/merge_duplicates.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(MergeDuplicatesTest, TheFirstOfEqualOpsStays) {
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

TEST(MergeDuplicatesTest, OpsOverMergedTensorsMergeToo) {
  ExpectPass(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %b: float32[3x2] = transpose(%x) {perm=[1, 0]} from "b"
    %c: float32[3x2] = tanh(%a) from "c"
    %d: float32[3x2] = tanh(%b) from "d"
    %y: float32[3x2] = sub(%c, %d) from "y"
    output %y)",
             R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %c: float32[3x2] = tanh(%a) from "c"
    %y: float32[3x2] = sub(%c, %c) from "y"
    output %y)");
}

TEST(MergeDuplicatesTest, TheOrderOfOperandsCounts) {
  ExpectNoRewrite(MergeDuplicates, R"(
    input %x: float32[2x3]
    input %z: float32[2x3]
    %a: float32[2x3] = sub(%x, %z) from "a"
    %b: float32[2x3] = sub(%z, %x) from "b"
    %y: float32[2x3] = mul(%a, %b) from "y"
    output %y)");
}

TEST(MergeDuplicatesTest, OtherOpsOverTheSameOperandStay) {
  ExpectNoRewrite(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: float32[2x3] = ceil(%x) from "a"
    %b: float32[2x3] = floor(%x) from "b"
    %y: float32[2x3] = mul(%a, %b) from "y"
    output %y)");
}

TEST(MergeDuplicatesTest, AnotherTypeIsAnotherTensor) {
  ExpectNoRewrite(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: uint8[2x3]<affine 0.5 3> = quantize(%x) from "a"
    %b: uint8[2x3]<affine 0.25 3> = quantize(%x) from "b"
    %c: int8[2x3]<affine 0.5 3> = quantize(%x) from "c"
    %y: uint8[2x3]<affine 0.5 3> = add(%a, %b) from "y"
    %z: float32[2x3] = dequantize(%c) from "z"
    output %y
    output %z)");
}

TEST(MergeDuplicatesTest, AnOutputThatComesFirstStaysForBoth) {
  ExpectPass(MergeDuplicates, R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %b: float32[3x2] = transpose(%x) {perm=[1, 0]} from "b"
    %y: float32[3x2] = neg(%b) from "y"
    output %a
    output %y)",
             R"(
    input %x: float32[2x3]
    %a: float32[3x2] = transpose(%x) {perm=[1, 0]} from "a"
    %y: float32[3x2] = neg(%a) from "y"
    output %a
    output %y)");
}

}  // namespace
}  // namespace synap_internal
