#include "compiler/graph/passes/fuse_clamp.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(FuseClampTest, ReluGoesIntoTheConvolution) {
  ExpectPass(FuseClamp, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[2x1x1x1] = [1.0, -2.0]
    %c: float32[1x2x3x2] = conv2d(%x, %w) from "conv"
    %y: float32[1x2x3x2] = relu(%c) from "relu"
    output %y)",
             R"(
    input %x: float32[1x2x3x1]
    const %w: float32[2x1x1x1] = [1.0, -2.0]
    %y: float32[1x2x3x2] = conv2d(%x, %w) {max=inf, min=0.0} from "conv", "relu"
    output %y)");
}

// `op` over an image %x of one channel, its weights %w[1x1x1x1] and a matrix %m[1x1].
void ExpectHoldsClamp(absl::string_view op) {
  constexpr absl::string_view kOperands = R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    const %m: float32[1x1] = [-4.0]
)";
  const absl::string_view unread = "\noutput %y\noutput %w\noutput %m";
  ExpectPass(FuseClamp,
             absl::StrCat(kOperands, "%c: float32[1x2x3x1] = ", op, " from \"op\"\n",
                          "%y: float32[1x2x3x1] = relu6(%c) from \"clamp\"", unread),
             absl::StrCat(kOperands, "%y: float32[1x2x3x1] = ", op,
                          " {max=6.0, min=0.0} from \"op\", \"clamp\"", unread));
}

TEST(FuseClampTest, OpsThatHoldAClamp) {
  ExpectHoldsClamp("conv2d(%x, %w)");
  ExpectHoldsClamp("depthwise_conv2d(%x, %w)");
  ExpectHoldsClamp("conv_transpose2d(%x, %w)");
  ExpectHoldsClamp("fully_connected(%x, %m)");
  ExpectHoldsClamp("add(%x, %w)");
  ExpectHoldsClamp("sub(%x, %w)");
  ExpectHoldsClamp("mul(%x, %w)");
}

TEST(FuseClampTest, ClampsOneAfterTheOtherBecomeOne) {
  ExpectPass(FuseClamp, R"(
    input %x: float32[7]
    input %z: float32[7]
    %a: float32[7] = add(%x, %z) {max=1.5, min=-1.0} from "a"
    %c: float32[7] = clip(%a) {max=0.75, min=-3.0} from "c"
    %y: float32[7] = clip(%c) {min=-0.25} from "y"
    output %y)",
             R"(
    input %x: float32[7]
    input %z: float32[7]
    %y: float32[7] = add(%x, %z) {max=0.75, min=-0.25} from "a", "c", "y"
    output %y)");
}

TEST(FuseClampTest, ALaterClampThatAnEarlierOneNeverMeetsDecides) {
  ExpectPass(FuseClamp, R"(
    input %x: float32[7]
    input %z: float32[7]
    %a: float32[7] = add(%x, %z) {max=0.5, min=-1.0} from "a"
    %y: float32[7] = clip(%a) {max=3.0, min=0.75} from "y"
    output %y)",
             R"(
    input %x: float32[7]
    input %z: float32[7]
    %y: float32[7] = add(%x, %z) {max=0.75, min=0.75} from "a", "y"
    output %y)");
}

TEST(FuseClampTest, AResultThatAnotherOpReadsIsNotClamped) {
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w) from "conv"
    %r: float32[1x2x3x1] = relu(%c) from "relu"
    %y: float32[1x2x3x1] = mul(%c, %r) from "y"
    output %y)");
}

TEST(FuseClampTest, AnOutputIsNotClamped) {
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w) from "conv"
    %y: float32[1x2x3x1] = relu(%c) from "relu"
    output %y
    output %c)");
}

TEST(FuseClampTest, OtherProducersStay) {
  for (const char* op : {"div(%x, %z)", "minimum(%x, %z)", "neg(%x)"}) {
    ExpectNoRewrite(FuseClamp, absl::StrCat(R"(
    input %x: float32[7]
    input %z: float32[7]
    %c: float32[7] = )",
                                            op, R"( from "c"
    %r: float32[7] = relu(%c) from "r"
    %y: float32[7] = add(%r, %z) from "y"
    output %y)"));
  }
}

TEST(FuseClampTest, AnInputStaysUnclamped) {
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[7]
    %y: float32[7] = relu6(%x) from "y"
    output %y)");
}

TEST(FuseClampTest, OtherFunctionsStay) {
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[7]
    input %z: float32[7]
    %a: float32[7] = add(%x, %z) from "a"
    %y: float32[7] = leaky_relu(%a) from "y"
    output %y)");
}

TEST(FuseClampTest, QuantizedOpsStay) {
  ExpectNoRewrite(FuseClamp, R"(
    input %x: uint8[7]<affine 0.5 100>
    input %z: uint8[7]<affine 0.25 20>
    %a: uint8[7]<affine 0.5 100> = add(%x, %z) from "a"
    %y: uint8[7]<affine 0.25 0> = relu(%a) from "y"
    output %y)");
}

TEST(FuseClampTest, AnEpilogueAfterTheClampKeepsItsPlace) {
  // The op clamps first: relu6(elu(c)) isn't elu(relu6(c)), nor is a clamped sum one of clamps.
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w) {activation="elu"} from "conv"
    %y: float32[1x2x3x1] = relu(%c) from "relu"
    output %y)");
  ExpectNoRewrite(FuseClamp, R"(
    input %x: float32[1x2x3x1]
    const %w: float32[1x1x1x1] = [4.0]
    %c: float32[1x2x3x1] = conv2d(%x, %w, _, _, %x) from "conv"
    %y: float32[1x2x3x1] = relu(%c) from "relu"
    output %y)");
}

TEST(ClampResultsTest, NarrowsTheClampOfAFloatOp) {
  Graph graph = GraphOfBody(R"(
    input %x: float32[7]
    input %q: uint8[7]<affine 0.5 100>
    %a: float32[7] = add(%x, %x) {max=2.0} from "a"
    %d: float32[7] = div(%x, %x) from "d"
    %b: uint8[7]<affine 0.5 100> = add(%q, %q) from "b"
    output %a
    output %b
    output %d)");
  Op* add = graph.FindTensor("a")->producer;
  EXPECT_TRUE(ClampResults(*add, -1, 5));
  EXPECT_EQ(std::get<float>(add->attributes.at("min")), -1);
  EXPECT_EQ(std::get<float>(add->attributes.at("max")), 2);
  for (const char* other : {"b", "d"}) {
    Op* op = graph.FindTensor(other)->producer;
    EXPECT_FALSE(ClampResults(*op, -1, 5)) << other;
    EXPECT_TRUE(op->attributes.empty()) << other;
  }
}

TEST(FuseClampTest, AClampToOneNumberIsFusedToo) {
  ExpectPass(FuseClamp, R"(
    input %x: float32[7]
    input %z: float32[7]
    %a: float32[7] = add(%x, %z) from "a"
    %y: float32[7] = clip(%a) {max=2.0, min=2.0} from "y"
    output %y)",
             R"(
    input %x: float32[7]
    input %z: float32[7]
    %y: float32[7] = add(%x, %z) {max=2.0, min=2.0} from "a", "y"
    output %y)");
}

}  // namespace
}  // namespace synap_internal
