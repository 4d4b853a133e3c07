#include "compiler/graph/passes/fold_pads.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FoldPadsTest, AddsEachPadToTheConvolutionsOwn) {
  ExpectPass(FoldPads, R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x2x3x2] = [1.0, -2.0, 3.0, -4.0, 5.0, 6.0, -7.0, 8.0, 9.0, 10.0, -11.0, 12.0]
    %p: float32[1x7x10x2] = pad(%x) {pads=[0, 1, 2, 0, 0, 3, 4, 0]} from "pad"
    %y: float32[1x4x5x1] = conv2d(%p, %w) {pads=[0, 3, 1, 4], strides=[2, 3]} from "conv"
    output %y)",
             R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x2x3x2] = [1.0, -2.0, 3.0, -4.0, 5.0, 6.0, -7.0, 8.0, 9.0, 10.0, -11.0, 12.0]
    %y: float32[1x4x5x1] = conv2d(%x, %w) {pads=[1, 5, 4, 8], strides=[2, 3]} from "conv", "pad"
    output %y)");
}

TEST(FoldPadsTest, DepthwiseConvolutionsWithoutPadsGetThem) {
  ExpectPass(FoldPads, R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x3x2x2] = [1.0, -2.0, 3.0, -4.0, 5.0, 6.0, -7.0, 8.0, 9.0, 10.0, -11.0, 12.0]
    %p: float32[1x6x11x2] = pad(%x) {mode="constant", pads=[0, 1, 3, 0, 0, 2, 4, 0], value=0.0} from "pad"
    %y: float32[1x4x10x2] = depthwise_conv2d(%p, %w) from "conv"
    output %y)",
             R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x3x2x2] = [1.0, -2.0, 3.0, -4.0, 5.0, 6.0, -7.0, 8.0, 9.0, 10.0, -11.0, 12.0]
    %y: float32[1x4x10x2] = depthwise_conv2d(%x, %w) {pads=[1, 3, 2, 4]} from "conv", "pad"
    output %y)");
}

TEST(FoldPadsTest, APadThatOthersReadStaysForThem) {
  ExpectPass(FoldPads, R"(
    input %x: float32[1x3x4x1]
    const %w: float32[1x2x1x1] = [1.0, -2.0]
    const %v: float32[1x1x2x1] = [3.0, -4.0]
    %p: float32[1x4x6x1] = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 2, 0]} from "pad"
    %y: float32[1x3x6x1] = conv2d(%p, %w) from "y"
    %z: float32[1x4x5x1] = conv2d(%p, %v) from "z"
    output %y
    output %z
    output %p)",
             R"(
    input %x: float32[1x3x4x1]
    const %w: float32[1x2x1x1] = [1.0, -2.0]
    const %v: float32[1x1x2x1] = [3.0, -4.0]
    %p: float32[1x4x6x1] = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 2, 0]} from "pad"
    %y: float32[1x3x6x1] = conv2d(%x, %w) {pads=[1, 0, 0, 2]} from "y", "pad"
    %z: float32[1x4x5x1] = conv2d(%x, %v) {pads=[1, 0, 0, 2]} from "z", "pad"
    output %y
    output %z
    output %p)");
}

TEST(FoldPadsTest, ZeroOfIntegersIsTheirZeroPoint) {
  ExpectPass(FoldPads, R"(
    input %x: uint8[1x3x4x1]<affine 0.5 37>
    const %w: uint8[1x2x1x1]<affine 0.25 128> = [100, 200]
    %p: uint8[1x4x6x1]<affine 0.5 37> = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 2, 0]} from "pad"
    %y: uint8[1x3x6x1]<affine 8.0 100> = conv2d(%p, %w) from "conv"
    output %y)",
             R"(
    input %x: uint8[1x3x4x1]<affine 0.5 37>
    const %w: uint8[1x2x1x1]<affine 0.25 128> = [100, 200]
    %y: uint8[1x3x6x1]<affine 8.0 100> = conv2d(%x, %w) {pads=[1, 0, 0, 2]} from "conv", "pad"
    output %y)");
}

void ExpectPadStays(absl::string_view padded_type, absl::string_view pad_attributes) {
  ExpectNoRewrite(FoldPads, absl::StrCat(R"(
    input %x: float32[1x3x4x2]
    const %w: float32[1x1x1x)",
                                         padded_type.back() == '3' ? "3" : "2", "] = splat 2.0\n",
                                         "%p: float32[", padded_type, "] = pad(%x) {",
                                         pad_attributes, "} from \"pad\"\n", "%y: float32[",
                                         padded_type.substr(0, padded_type.size() - 1),
                                         "1] = conv2d(%p, %w) from \"conv\"\noutput %y"));
}

TEST(FoldPadsTest, OtherPadsStay) {
  ExpectPadStays("2x3x4x2", "pads=[1, 0, 0, 0, 0, 0, 0, 0]");
  ExpectPadStays("2x3x4x2", "pads=[0, 0, 0, 0, 1, 0, 0, 0]");
  ExpectPadStays("1x3x4x3", "pads=[0, 0, 0, 1, 0, 0, 0, 0]");
  ExpectPadStays("1x3x4x3", "pads=[0, 0, 0, 0, 0, 0, 0, 1]");
  ExpectPadStays("1x4x4x2", "pads=[0, 1, 0, 0, 0, 0, 0, 0], value=0.5");
  ExpectPadStays("1x4x4x2", "mode=\"edge\", pads=[0, 1, 0, 0, 0, 0, 0, 0]");
  ExpectPadStays("1x4x4x2", "mode=\"reflect\", pads=[0, 0, 0, 0, 0, 1, 0, 0]");
}

// Max pooling, by 3x3 in steps of 2, of what `pad` makes.
std::string PooledBody(absl::string_view pad, absl::string_view pool = "strides=[2, 2]") {
  return absl::StrCat(R"(
    input %x: float32[1x4x4x2]
    %p: float32[1x5x5x2] = pad(%x) {)",
                      pad, R"(} from "pad"
    %y: float32[1x2x2x2] = max_pool2d(%p) {kernel=[3, 3], )",
                      pool, R"(} from "pool"
    output %y)");
}

TEST(FoldPadsTest, MaxPoolingTakesPadsOfTheLowestValue) {
  constexpr absl::string_view kFolded = R"(
    input %x: float32[1x4x4x2]
    %y: float32[1x2x2x2] = max_pool2d(%x) {kernel=[3, 3], pads=[0, 1, 1, 0], strides=[2, 2]} from "pool", "pad"
    output %y)";
  for (const absl::string_view value : {"-inf", "-3.4028235e+38"}) {
    ExpectPass(FoldPads, PooledBody(absl::StrCat("pads=[0, 0, 1, 0, 0, 1, 0, 0], value=", value)),
               kFolded);
  }
}

TEST(FoldPadsTest, MaxPoolingKeepsPadsOfValuesThatItMayTake) {
  ExpectNoRewrite(FoldPads, PooledBody("pads=[0, 0, 0, 0, 0, 1, 1, 0], value=-100.0"));
  ExpectNoRewrite(FoldPads, PooledBody("pads=[0, 0, 0, 0, 0, 1, 1, 0]"));
  ExpectNoRewrite(FoldPads, PooledBody("mode=\"edge\", pads=[0, 0, 0, 0, 0, 1, 1, 0]"));
}

TEST(FoldPadsTest, AWindowInThePaddingAloneKeepsItsPad) {
  ExpectNoRewrite(FoldPads, R"(
    input %x: float32[1x4x4x2]
    %p: float32[1x4x7x2] = pad(%x) {pads=[0, 0, 3, 0, 0, 0, 0, 0], value=-inf} from "pad"
    %y: float32[1x2x3x2] = max_pool2d(%p) {kernel=[3, 3], strides=[1, 2]} from "pool"
    output %y)");
}

TEST(FoldPadsTest, APoolThatCeilModeMakesSmallerKeepsItsPad) {
  ExpectNoRewrite(FoldPads, R"(
    input %x: float32[1x4x4x2]
    %p: float32[1x4x5x2] = pad(%x) {pads=[0, 0, 0, 0, 0, 0, 1, 0], value=-inf} from "pad"
    %y: float32[1x2x3x2] = max_pool2d(%p) {ceil_mode=1, kernel=[2, 2], strides=[2, 2]} from "pool"
    output %y)");
}

TEST(FoldPadsTest, OtherReadersKeepTheirPad) {
  // Max pooling would not take the zeros into account.
  ExpectNoRewrite(FoldPads, R"(
    input %x: float32[1x3x4x2]
    %p: float32[1x4x6x2] = pad(%x) {pads=[0, 1, 0, 0, 0, 0, 2, 0]} from "pad"
    %y: float32[1x3x5x2] = max_pool2d(%p) {kernel=[2, 2]} from "pool"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
