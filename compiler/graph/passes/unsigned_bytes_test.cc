#include "compiler/graph/passes/unsigned_bytes.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(UnsignedBytesTest, TheInsideBecomesUnsigned) {
  ExpectPass(UnsignedBytes, R"(
    input %x: int8[1x1x1x2]<affine 0.5 -3>
    const %w: int8[2x1x1x2]<affine 0.25 0> = [1, -2, 127, -128]
    %c: int8[1x1x1x2]<affine 1 5> = conv2d(%x, %w) from "c"
    %s: int8[1x1x1x2]<affine 0.0078125 0> = tanh(%c) from "s"
    output %s)",
             R"(
    input %x: int8[1x1x1x2]<affine 0.5 -3>
    const %w: uint8[2x1x1x2]<affine 0.25 128> = [129, 126, 255, 0]
    %x.uint8: uint8[1x1x1x2]<affine 0.5 125> = requantize(%x) from "x"
    %c: uint8[1x1x1x2]<affine 1 133> = conv2d(%x.uint8, %w) from "c"
    %s.uint8: uint8[1x1x1x2]<affine 0.0078125 128> = tanh(%c) from "s"
    %s: int8[1x1x1x2]<affine 0.0078125 0> = requantize(%s.uint8) from "s"
    output %s)");
}

TEST(UnsignedBytesTest, WeightsPerChannelStay) {
  ExpectPass(UnsignedBytes, R"(
    input %x: float32[1x2]
    %q: int8[1x2]<fixed 4> = quantize(%x) from "q"
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    %y: int8[1x2]<affine 1 5> = fully_connected(%q, %w) from "y"
    %f: float32[1x2] = dequantize(%y) from "f"
    output %f)",
             R"(
    input %x: float32[1x2]
    const %w: int8[2x2]<channel 0 [0.25, 1.0]> = [1, -2, 127, -128]
    %q: uint8[1x2]<affine 0.0625 128> = quantize(%x) from "q"
    %y: uint8[1x2]<affine 1 133> = fully_connected(%q, %w) from "y"
    %f: float32[1x2] = dequantize(%y) from "f"
    output %f)");
}

TEST(UnsignedBytesTest, OtherTypesAreLeftAlone) {
  ExpectNoRewrite(UnsignedBytes, R"(
    input %x: int16[4]<fixed 12>
    %y: int16[4]<fixed 15> = sigmoid(%x) from "y"
    output %y)");
}

TEST(UnsignedBytesTest, AnInputThatLeavesAsItCameStays) {
  ExpectNoRewrite(UnsignedBytes, R"(
    input %x: int8[3]<affine 0.5 -3>
    output %x)");
}

TEST(UnsignedBytesTest, AnInputIsConvertedOnceForAllReaders) {
  ExpectPass(UnsignedBytes, R"(
    input %x: int8[3]<affine 0.5 -3>
    %a: int8[3]<affine 0.25 7> = neg(%x) from "a"
    %y: int8[3]<affine 1.0 -9> = sub(%x, %a) from "y"
    %z: int8[3]<affine 2.0 5> = add(%x, %x) from "z"
    output %y
    output %z)",
             R"(
    input %x: int8[3]<affine 0.5 -3>
    %x.uint8: uint8[3]<affine 0.5 125> = requantize(%x) from "x"
    %a: uint8[3]<affine 0.25 135> = neg(%x.uint8) from "a"
    %y.uint8: uint8[3]<affine 1.0 119> = sub(%x.uint8, %a) from "y"
    %z.uint8: uint8[3]<affine 2.0 133> = add(%x.uint8, %x.uint8) from "z"
    %y: int8[3]<affine 1.0 -9> = requantize(%y.uint8) from "y"
    %z: int8[3]<affine 2.0 5> = requantize(%z.uint8) from "z"
    output %y
    output %z)");
}

TEST(UnsignedBytesTest, IntegersThatAreNoQuantizedNumbersStay) {
  ExpectNoRewrite(UnsignedBytes, R"(
    input %x: int8[2x3]
    %y: int8[3x2] = transpose(%x) {perm=[1, 0]} from "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
