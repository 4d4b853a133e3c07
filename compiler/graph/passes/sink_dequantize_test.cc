#include "compiler/graph/passes/sink_dequantize.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(SinkDequantizeTest, IntegersAreMoved) {
  ExpectPass(SinkDequantize, R"(
    input %x: uint8[1x2x2x1]<affine 0.5 3>
    %f: float32[1x2x2x1] = dequantize(%x) from "f"
    %t: float32[1x1x2x2] = transpose(%f) {perm=[0, 3, 1, 2]} from "t"
    %r: float32[4] = reshape(%t) {shape=[4]} from "r"
    output %r)",
             R"(
    input %x: uint8[1x2x2x1]<affine 0.5 3>
    %t.q: uint8[1x1x2x2]<affine 0.5 3> = transpose(%x) {perm=[0, 3, 1, 2]} from "t"
    %r.q: uint8[4]<affine 0.5 3> = reshape(%t.q) {shape=[4]} from "r"
    %r: float32[4] = dequantize(%r.q) from "r"
    output %r)");
}

TEST(SinkDequantizeTest, ConstantsAreMovedAtOnceWithTheirChannels) {
  Graph graph = GraphOfBody(R"(
    const %w: int8[2x3]<channel 0 [0.5, 2.0]> = [1, 2, 3, -4, -5, -6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %t: float32[3x2] = transpose(%f) {perm=[1, 0]} from "t"
    %r: float32[3x1x2] = reshape(%t) {shape=[3, 1, 2]} from "r"
    output %r)");
  ASSERT_TRUE(SinkDequantize(graph).ok());
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(R"(
    const %w.1.1: int8[3x1x2]<channel 2 [0.5, 2.0]> = [1, -4, 2, -5, 3, -6]
    %r: float32[3x1x2] = dequantize(%w.1.1) from "r"
    output %r)")));
}

TEST(SinkDequantizeTest, ChannelsThatAReshapeMixesStay) {
  ExpectNoRewrite(SinkDequantize, R"(
    const %w: int8[2x3]<channel 0 [0.5, 2.0]> = [1, 2, 3, -4, -5, -6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %r: float32[6] = reshape(%f) {shape=[6]} from "r"
    output %r)");
}

TEST(SinkDequantizeTest, PaddingOfOtherValuesStays) {
  ExpectNoRewrite(SinkDequantize, R"(
    input %x: uint8[2]<affine 0.5 3>
    %f: float32[2] = dequantize(%x) from "f"
    %p: float32[4] = pad(%f) {pads=[1, 1], value=0.3} from "p"
    output %p)");
}

// `call` over the real numbers of %x moves integers too: `moved` over %x itself.
void ExpectSinks(absl::string_view shape, absl::string_view op, absl::string_view attributes) {
  ExpectPass(SinkDequantize,
             absl::StrCat(R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    %f: float32[1x2x3x1] = dequantize(%x) from "f"
    %y: float32)",
                          shape, " = ", op, "(%f) {", attributes, R"(} from "y"
    output %y)"),
             absl::StrCat(R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    %y.q: uint8)",
                          shape, "<affine 0.5 3> = ", op, "(%x) {", attributes, R"(} from "y"
    %y: float32)",
                          shape, R"( = dequantize(%y.q) from "y"
    output %y)"));
}

TEST(SinkDequantizeTest, OpsThatMoveIntegers) {
  ExpectSinks("[1x2x2x1]", "slice", "sizes=[1, 2, 2, 1], starts=[0, 0, 2, 0], steps=[1, 1, -1, 1]");
  ExpectSinks("[2x2x3x5]", "expand", "shape=[2, 2, 3, 5]");
  ExpectSinks("[1x2x2x1]", "max_pool2d", "kernel=[1, 2]");
  ExpectSinks("[1x4x3x1]", "resize", "mode=\"nearest\", scales=[2.0, 1.0], size=[4, 3]");
  ExpectSinks("[1x3x5x1]", "pad", "pads=[0, 1, 0, 0, 0, 0, 2, 0]");
  ExpectSinks("[1x3x5x1]", "pad", "mode=\"edge\", pads=[0, 1, 0, 0, 0, 0, 2, 0], value=0.3");
}

void ExpectStays(absl::string_view shape, absl::string_view call) {
  ExpectNoRewrite(SinkDequantize, absl::StrCat(R"(
    input %x: uint8[1x2x3x1]<affine 0.5 3>
    input %z: float32[1x2x3x1]
    input %i: int64[2]
    %f: float32[1x2x3x1] = dequantize(%x) from "f"
    %y: float32)",
                                               shape, " = ", call, R"( from "y"
    output %y)"));
}

TEST(SinkDequantizeTest, OpsThatComputeStay) {
  ExpectStays("[1x2x2x1]", "avg_pool2d(%f) {kernel=[1, 2]}");
  ExpectStays("[1x4x3x1]", "resize(%f) {mode=\"linear\", scales=[2.0, 1.0], size=[4, 3]}");
  ExpectStays("[1x2x3x1]", "relu(%f)");
  ExpectStays("[1x2x6x1]", "concat(%z, %f) {axis=2}");
  ExpectStays("[1x2x2x1]", "gather(%f, %i) {axis=2}");
}

TEST(SinkDequantizeTest, OtherReadersKeepTheNumbers) {
  ExpectPass(SinkDequantize, R"(
    input %x: uint8[2x3]<affine 0.5 3>
    %f: float32[2x3] = dequantize(%x) from "f"
    %t: float32[3x2] = transpose(%f) {perm=[1, 0]} from "t"
    %n: float32[2x3] = neg(%f) from "n"
    output %t
    output %n)",
             R"(
    input %x: uint8[2x3]<affine 0.5 3>
    %f: float32[2x3] = dequantize(%x) from "f"
    %t.q: uint8[3x2]<affine 0.5 3> = transpose(%x) {perm=[1, 0]} from "t"
    %t: float32[3x2] = dequantize(%t.q) from "t"
    %n: float32[2x3] = neg(%f) from "n"
    output %t
    output %n)");
}

TEST(SinkDequantizeTest, PartsOfChannelsStay) {
  ExpectNoRewrite(SinkDequantize, R"(
    const %w: int8[2x3]<channel 0 [0.5, 2.0]> = [1, 2, 3, -4, -5, -6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %y: float32[1x3] = slice(%f) {sizes=[1, 3], starts=[1, 0]} from "y"
    output %y)");
}

TEST(SinkDequantizeTest, ADimensionOfAsManyElementsElsewhereIsAnother) {
  // [2x3x2] -> [6x2] keeps the last 2, not the first.
  ExpectNoRewrite(SinkDequantize, R"(
    const %w: int8[2x3x2]<channel 0 [0.5, 2.0]> = splat 7
    %f: float32[2x3x2] = dequantize(%w) from "f"
    %y: float32[6x2] = reshape(%f) {shape=[6, 2]} from "y"
    output %y)");
}

TEST(SinkDequantizeTest, ADimensionThatIsMergedIsNoChannel) {
  for (const char* shape : {"[6]", "[1x6]"}) {
    ExpectNoRewrite(SinkDequantize, absl::StrCat(R"(
    const %w: int8[2x3]<channel 1 [0.5, 2.0, 1.0]> = [1, 2, 3, -4, -5, -6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %y: float32)",
                                                 shape, R"( = reshape(%f) {shape=)",
                                                 shape[2] == 'x' ? "[1, 6]" : "[6]", R"(} from "y"
    output %y)"));
  }
}

TEST(SinkDequantizeTest, OtherMovesOfChannelsStay) {
  ExpectNoRewrite(SinkDequantize, R"(
    const %w: int8[4x3]<channel 1 [0.5, 2.0, 1.0]> = splat 7
    %f: float32[4x3] = dequantize(%w) from "f"
    %y: float32[2x3] = slice(%f) {sizes=[2, 3], starts=[1, 0]} from "y"
    output %y)");
}

TEST(SinkDequantizeTest, ConstantsAreNotRepeated) {
  ExpectNoRewrite(SinkDequantize, R"(
    const %w: uint8[1x3]<affine 0.5 3> = [1, 2, 3]
    %f: float32[1x3] = dequantize(%w) from "f"
    %y: float32[4x3] = expand(%f) {shape=[4, 3]} from "y"
    output %y)");
}

TEST(SinkDequantizeTest, PartsOfConstantsWithOneScale) {
  Graph graph = GraphOfBody(R"(
    const %w: uint8[2x3]<affine 0.5 3> = [1, 2, 3, 4, 5, 6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %y: float32[1x3] = slice(%f) {sizes=[1, 3], starts=[1, 0]} from "y"
    output %y)");
  const absl::StatusOr<int> rewrites = SinkDequantize(graph);
  ASSERT_TRUE(rewrites.ok()) << rewrites.status();
  EXPECT_EQ(*rewrites, 1);
  ASSERT_EQ(graph.ops().size(), 1u);
  const Tensor& part = *graph.ops().front().inputs[0];
  EXPECT_EQ(part.type.quant, QuantParams::Affine(0.5f, 3));
  EXPECT_EQ(std::vector<uint8_t>({4, 5, 6}),
            std::vector<uint8_t>(part.values<uint8_t>().begin(), part.values<uint8_t>().end()));
}

TEST(SinkDequantizeTest, ADimensionOfOneMoreLeavesTheChannelsWhereTheyAre) {
  Graph graph = GraphOfBody(R"(
    const %w: int8[2x3]<channel 0 [0.5, 2.0]> = [1, 2, 3, -4, -5, -6]
    %f: float32[2x3] = dequantize(%w) from "f"
    %r: float32[2x3x1] = reshape(%f) {shape=[2, 3, 1]} from "r"
    output %r)");
  ASSERT_TRUE(SinkDequantize(graph).ok());
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(R"(
    const %w.1: int8[2x3x1]<channel 0 [0.5, 2.0]> = [1, 2, 3, -4, -5, -6]
    %r: float32[2x3x1] = dequantize(%w.1) from "r"
    output %r)")));
}

}  // namespace
}  // namespace synap_internal
