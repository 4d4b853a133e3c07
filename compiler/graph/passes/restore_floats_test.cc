#include "compiler/graph/passes/restore_floats.h"

#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(RestoreFloatsTest, IntegersBecomeTheNumbersThatTheyStandFor) {
  // Half a step of each operand and of the output, beside a result of about 1.
  ExpectPass(RestoreFloats, R"(
    input %f: float32[1x1x1x2]
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    const %b: int32[1]<affine 0.000625 0> = [16]
    %x: uint8[1x1x1x2]<affine 0.03125 128> = quantize(%f) from "q"
    %c: uint8[1x1x1x1]<affine 0.05 128> = conv2d(%x, %w, %b) from "c"
    %y: float32[1x1x1x1] = dequantize(%c) from "d"
    output %y)",
             R"(
    input %f: float32[1x1x1x2]
    const %w: float32[1x1x1x2] = [-2.0, 2.0]
    const %b: float32[1] = [0.01]
    %y: float32[1x1x1x1] = conv2d(%f, %w, %b) from "c"
    output %y)",
             0.2f);
}

TEST(RestoreFloatsTest, LimitsThatStandForAnActivationStay) {
  ExpectPass(RestoreFloats, R"(
    input %f: float32[1x1x1x2]
    const %w: uint8[1x1x1x2]<affine 0.02 100> = [0, 200]
    %x: uint8[1x1x1x2]<affine 0.03125 128> = quantize(%f) from "q"
    %c: uint8[1x1x1x1]<affine 0.015625 0> = conv2d(%x, %w) from "c"
    %y: float32[1x1x1x1] = dequantize(%c) from "d"
    output %y)",
             R"(
    input %f: float32[1x1x1x2]
    const %w: float32[1x1x1x2] = [-2.0, 2.0]
    %y: float32[1x1x1x1] = conv2d(%f, %w) {max=3.984375, min=0.0} from "c"
    output %y)",
             0.2f);
}

TEST(RestoreFloatsTest, InputsAndOutputsBecomeFloatToo) {
  Graph graph = GraphOfBody(R"(
    input %x: int8[4]<affine 0.01 -128>
    %r: int8[2x2]<affine 0.01 -128> = reshape(%x) {shape=[2, 2]} from "r"
    output %r)");
  const auto restored = RestoreFloats(graph);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(*restored, 2);
  EXPECT_EQ(graph.inputs[0]->type.dtype, DataType::kFloat32);
  EXPECT_EQ(graph.outputs[0]->type.dtype, DataType::kFloat32);
  EXPECT_FALSE(IsQuantized(graph));
  EXPECT_TRUE(VerifyGraph(graph).ok());
}

TEST(RestoreFloatsTest, WideBiases) {
  Graph graph = GraphOfBody(R"(
    input %x: int16[1x1x1x2]<fixed 8>
    const %w: int8[1x1x1x2]<affine 0.5 0> = [2, 4]
    const %b: int64[1]<affine 0.001953125 0> = [1024]
    %c: int16[1x1x1x1]<fixed 8> = conv2d(%x, %w, %b) from "c"
    output %c)");
  ASSERT_TRUE(RestoreFloats(graph).ok());
  EXPECT_EQ(graph.outputs[0]->producer->inputs[2]->values<float>()[0], 2);
}

TEST(RestoreFloatsTest, AFloatNetworkStays) {
  ExpectNoRewrite(RestoreFloats, R"(
    input %x: float32[4]
    %y: float32[4] = sigmoid(%x) from "y"
    output %y)");
}

TEST(RestoreFloatsTest, LimitsBelowZeroAreNoActivation) {
  // The zero point is above the smallest integer: a negative number is possible, the others
  // saturate.
  ExpectPass(RestoreFloats, R"(
    input %f: float32[2x3]
    const %w: int8[2x3]<channel 0 [0.5, 0.25]> = [1, 2, 3, -4, -5, -6]
    %x: int8[2x3]<affine 0.03125 -1> = quantize(%f) from "q"
    %c: int8[2x2]<affine 0.125 -127> = fully_connected(%x, %w) from "c"
    %y: float32[2x2] = dequantize(%c) from "d"
    output %y)",
             R"(
    input %f: float32[2x3]
    const %w: float32[2x3] = [0.5, 1.0, 1.5, -1.0, -1.25, -1.5]
    %y: float32[2x2] = fully_connected(%f, %w) from "c"
    output %y)",
             2.0f);
}

TEST(RestoreFloatsTest, LimitsOfOneChannelDontHoldForAll) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[1x1x1x2]
    const %w: float32[2x1x1x2] = [1.0, 2.0, 3.0, 4.0]
    %c: float32[1x1x1x2] = conv2d(%x, %w) from "c"
    output %c)");
  Tensor* c = graph.outputs[0];
  c->type = {DataType::kUint8, c->type.shape, QuantParams::PerChannel({0.25f, 0.5f}, 3)};
  const auto restored = RestoreFloats(graph);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(*restored, 1);
  EXPECT_EQ(c->type.dtype, DataType::kFloat32);
  EXPECT_TRUE(c->producer->attributes.empty()) << "no clamp";
}

TEST(RestoreFloatsTest, LimitsOfSignedIntegers) {
  ExpectPass(RestoreFloats, R"(
    input %f: float32[2x3]
    input %g: float32[3]
    %x: int8[2x3]<affine 0.015625 0> = quantize(%f) from "x"
    %z: int8[3]<affine 0.015625 0> = quantize(%g) from "z"
    %m: int8[2x3]<affine 0.0078125 -128> = mul(%x, %z) {max=1.5} from "m"
    %y: float32[2x3] = dequantize(%m) from "d"
    output %y)",
             R"(
    input %f: float32[2x3]
    input %g: float32[3]
    %y: float32[2x3] = mul(%f, %g) {max=1.5, min=0.0} from "m"
    output %y)",
             0.1f);
}

TEST(RestoreFloatsTest, OpsWithoutAClampGetNone) {
  ExpectPass(RestoreFloats, R"(
    input %f: float32[2x3]
    %x: uint8[2x3]<affine 0.015625 128> = quantize(%f) from "q"
    %r: uint8[2x3]<affine 0.0078125 0> = relu(%x) from "r"
    %t: uint8[3x2]<affine 0.0078125 0> = transpose(%r) {perm=[1, 0]} from "t"
    %z: int8[3x2]<affine 0.015625 -128> = requantize(%t) from "z"
    %y: float32[3x2] = dequantize(%z) from "d"
    output %y)",
             R"(
    input %f: float32[2x3]
    %r: float32[2x3] = relu(%f) from "r"
    %y: float32[3x2] = transpose(%r) {perm=[1, 0]} from "t"
    output %y)",
             0.1f);
}

TEST(RestoreFloatsTest, CastsStay) {
  Graph graph = GraphOfBody(R"(
    input %x: uint8[2]<affine 0.5 0>
    %f: float32[2] = dequantize(%x) from "f"
    %y: int64[2] = cast(%f) {to="int64"} from "y"
    output %y)");
  const absl::StatusOr<int> restored = RestoreFloats(graph);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(PrintGraph(graph), PrintGraph(GraphOfBody(R"(
    input %x: float32[2]
    %y: int64[2] = cast(%x) {to="int64"} from "y"
    output %y)")));
}

}  // namespace
}  // namespace synap_internal
