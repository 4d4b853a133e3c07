#include "compiler/passes/sink_dequantize.h"

#include "compiler/ir/text.h"
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

}  // namespace
}  // namespace synap_internal
