#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/linear/linear_cases.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

const OpDef& Depthwise() { return DepthwiseConv2dOps()[0]; }

struct DepthwiseShape {
  LinearShapes shapes;
  Attributes attributes;
};

// An image that the window fits into, with everything else at random.
DepthwiseShape RandomDepthwise(TestRandom& random) {
  const auto pick = [&random](int64_t min, int64_t max) { return random.Integer(min, max); };
  const int64_t channels = pick(1, 70), kh = pick(1, 5), kw = pick(1, 4);
  const Ints dilations = {pick(1, 2), pick(1, 3)};
  const Ints pads = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
  const auto extent = [&](int64_t taps, int64_t dilation, int64_t pad) {
    return std::max<int64_t>(1, (taps - 1) * dilation + 1 - pad) + pick(0, 9);
  };
  const Shape x{pick(1, 2), extent(kh, dilations[0], pads[0] + pads[2]),
                extent(kw, dilations[1], pads[1] + pads[3]), channels};
  DepthwiseShape depthwise;
  depthwise.shapes = {x, {1, kh, kw, channels}, pick(0, 4) == 0 ? 0 : channels, kh * kw};
  depthwise.attributes = {
      {"strides", Ints{pick(1, 3), pick(1, 3)}}, {"dilations", dilations}, {"pads", pads}};
  if (pick(0, 1) == 0) depthwise.attributes["max"] = 1.5f;
  return depthwise;
}

TEST(DepthwiseConv2dTest, KeepsTheChannelsApart) {
  const TestTensor x({1, 1, 2, 2}, std::vector<float>{1, 10, 2, 20});
  const TestTensor w({1, 1, 3, 2}, std::vector<float>{1, 4, 2, 5, 3, 6});
  const TestTensor bias({2}, std::vector<float>{0.5f, 0});
  const auto outputs = CheckConformance(Depthwise(), {.name = "1x3",
                                                      .inputs = {x, w, bias},
                                                      .attributes = {{"pads", Ints{0, 1, 0, 1}}},
                                                      .constant = {false, true, true}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(8.5f, 170, 5.5f, 140));
}

TEST(DepthwiseConv2dTest, RequantizesTheExactSum) {
  const TestTensor x({1, 2, 1, 1}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor w({1, 2, 1, 1}, std::vector<uint8_t>{3, 250}, QuantParams::Affine(0.25f, 5));
  const TestTensor bias({1}, std::vector<int32_t>{8}, QuantParams::Affine(0.125f, 0));
  // 6 * -2 + 16 * 245 + 8 = 3916; 3916 * 0.125 / 4 = 122.375.
  const auto outputs = CheckConformance(
      Depthwise(), {.name = "2x1",
                    .inputs = {x, w, bias},
                    .constant = {false, true, true},
                    .outputs = {{DataType::kUint8, {}, QuantParams::Affine(4, 9)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(131));
}

TEST(DepthwiseConv2dTest, FloatEqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 60; ++i) {
    const DepthwiseShape depthwise = RandomDepthwise(random);
    CheckConformance(Depthwise(), FloatLinearCase(depthwise.shapes, depthwise.attributes, random));
  }
}

// Pixels that share columns of x, from fewer than a block of them to several and a rest.
TEST(DepthwiseConv2dTest, FloatEqualsTheReferenceOnRowsOfManyLengths) {
  TestRandom random(11);
  for (const int64_t taps : {3, 5}) {
    for (const int64_t stride : {1, 2}) {
      for (int64_t width = taps; width < taps + 2 * 22; width += 3) {
        const int64_t channels = random.Integer(1, 40);
        const LinearShapes shapes{
            {1, 4, width, channels}, {1, 3, taps, channels}, channels, 3 * taps};
        const Attributes attributes = {{"pads", Ints{1, random.Integer(0, 1), 1, 0}},
                                       {"strides", Ints{1, stride}}};
        CheckConformance(Depthwise(), FloatLinearCase(shapes, attributes, random));
      }
    }
  }
}

TEST(DepthwiseConv2dTest, Uint8EqualsTheReferenceOnRandomShapes) {
  TestRandom random(2);
  for (int i = 0; i < 80; ++i) {
    const DepthwiseShape depthwise = RandomDepthwise(random);
    CheckConformance(Depthwise(), Uint8LinearCase(depthwise.shapes, depthwise.attributes,
                                                  RandomQuantizers(random, 3), random));
  }
}

TEST(DepthwiseConv2dTest, Int16EqualsTheReferenceOnRandomShapes) {
  TestRandom random(8);
  for (int i = 0; i < 60; ++i) {
    const DepthwiseShape depthwise = RandomDepthwise(random);
    CheckConformance(Depthwise(), Int16LinearCase(depthwise.shapes, depthwise.attributes,
                                                  RandomQuantizers(random, 3), random));
  }
}

TEST(DepthwiseConv2dTest, Int16SumsReachTheLimitOf32Bits) {
  CheckInt16Limits(Depthwise(), {1, 3, 3, 17}, {1, 3, 3, 17}, 17);
}

TEST(DepthwiseConv2dTest, Int16FallsBackToTheReferenceForWindowsOfManyTaps) {
  TestRandom random(9);
  const LinearShapes shapes{{1, 30, 30, 3}, {1, 26, 25, 3}, 3, 650};
  CheckConformance(Depthwise(), Int16LinearCase(shapes, {}, {}, random));
}

TEST(DepthwiseConv2dTest, IntegersEqualTheReferenceWithoutVnni) {
  const WithoutCpuExtensions without;
  TestRandom random(3);
  for (int i = 0; i < 30; ++i) {
    const DepthwiseShape depthwise = RandomDepthwise(random);
    CheckConformance(Depthwise(), Uint8LinearCase(depthwise.shapes, depthwise.attributes,
                                                  RandomQuantizers(random, 3), random));
    CheckConformance(Depthwise(), Int16LinearCase(depthwise.shapes, depthwise.attributes,
                                                  RandomQuantizers(random, 3), random));
  }
}

TEST(DepthwiseConv2dTest, EqualsTheReferenceOverSeveralStripsAndTasks) {
  TestRandom random(4);
  const LinearShapes shapes{{2, 9, 201, 20}, {1, 3, 3, 20}, 20, 9};
  const Attributes attributes = {{"pads", Ints{1, 1, 1, 1}}};
  CheckConformance(Depthwise(), FloatLinearCase(shapes, attributes, random));
  CheckConformance(Depthwise(), Uint8LinearCase(shapes, attributes, {.table = true}, random));
  CheckConformance(Depthwise(), Int16LinearCase(shapes, attributes, {.x_zero_point = 3}, random));
}

TEST(DepthwiseConv2dTest, AddsTheResidualAsTheOpAddWould) {
  TestRandom random(10);
  for (int i = 0; i < 12; ++i) {
    const auto [shapes, attributes] = RandomDepthwise(random);
    const LinearQuantizers quantizers = RandomQuantizers(random, 3);
    CheckResidual(Depthwise(), FloatLinearCase(shapes, attributes, random), random);
    CheckResidual(Depthwise(), Uint8LinearCase(shapes, attributes, quantizers, random), random);
    CheckResidual(Depthwise(), Int16LinearCase(shapes, attributes, quantizers, random), random);
    const WithoutCpuExtensions without;
    CheckResidual(Depthwise(), Uint8LinearCase(shapes, attributes, quantizers, random), random);
  }
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c10_RejectsResidualsThatDontFit) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1, 2, 3}, {1, 1, 1, 3}, 3}, {}, random);
  op_case.inputs.resize(kResidual);
  op_case.inputs.emplace_back(TensorType{DataType::kFloat32, {1, 1, 3, 2}});
  EXPECT_THAT(RefusalOf(Depthwise(), op_case), HasSubstr("the residual is float32[1x1x3x2]"));
}

TEST(DepthwiseConv2dTest, PaddingLargerThanTheWindowGivesTheBias) {
  TestRandom random(5);
  const LinearShapes shapes{{1, 2, 2, 17}, {1, 2, 2, 17}, 17, 4};
  const Attributes attributes = {{"pads", Ints{4, 100, 3, 6}}, {"dilations", Ints{3, 1}}};
  CheckConformance(Depthwise(), FloatLinearCase(shapes, attributes, random));
  CheckConformance(Depthwise(), Uint8LinearCase(shapes, attributes, {}, random));
}

TEST(DepthwiseConv2dTest, FallsBackToTheReferenceForPairsThatFitNoScratch) {
  TestRandom random(6);
  const LinearShapes shapes{{1, 1, 1, 1}, {1, 1, 2, 1}, 1, 2};
  const Attributes attributes = {{"pads", Ints{0, 300000, 0, 10}}, {"dilations", Ints{1, 300000}}};
  CheckConformance(Depthwise(), Uint8LinearCase(shapes, attributes, {}, random));
}

TEST(DepthwiseConv2dTest, TakesWeightsThatNoTwoSignedBytesHold) {
  TestRandom random(7);
  OpCase op_case = Uint8LinearCase({{1, 6, 6, 18}, {1, 3, 3, 18}, 18, 9}, {}, {}, random);
  // 255 above the zero point, then 254, the most that two planes of int8 hold.
  for (const int weight : {255, 254}) {
    op_case.inputs[1] =
        TestTensor({1, 3, 3, 18}, std::vector<uint8_t>(162, static_cast<uint8_t>(weight)),
                   QuantParams::Affine(op_case.inputs[1].type().quant.scale(), 0));
    CheckConformance(Depthwise(), op_case);
  }
}

TEST(DepthwiseConv2dTest, Uint8EqualsTheReferenceForTallWindows) {
  TestRandom random(10);
  for (const int64_t taps : {6, 7, 8, 9, 12}) {
    const LinearShapes shapes{{1, 17, 9, 33}, {1, taps, 2, 33}, 33, taps * 2};
    for (const int64_t stride : {1, 2, 5}) {
      const Attributes attributes = {{"pads", Ints{3, 1, 2, 0}}, {"strides", Ints{stride, 1}}};
      CheckConformance(Depthwise(),
                       Uint8LinearCase(shapes, attributes, RandomQuantizers(random, 3), random));
    }
  }
}

TEST(DepthwiseConv2dTest, CountsMultiplyAccumulates) {
  const TensorType x{DataType::kFloat32, {1, 4, 4, 6}}, w{DataType::kFloat32, {1, 3, 3, 6}};
  EXPECT_EQ(Depthwise().cost({x, w}, {{DataType::kFloat32, {1, 2, 2, 6}}}).macs, 24 * 9);
}

std::string Refusal(const Shape& x, const Shape& w, Attributes attributes = {},
                    int64_t channels = 0) {
  TestRandom random(1);
  return RefusalOf(Depthwise(), FloatLinearCase({x, w, channels}, std::move(attributes), random));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c1_RejectsOtherShapes) {
  EXPECT_THAT(Refusal({4, 4, 1}, {1, 1, 1, 1}), HasSubstr("x is [4x4x1]"));
  EXPECT_THAT(Refusal({1, 4, 4, 3}, {2, 1, 1, 3}), HasSubstr("w is [2x1x1x3]"));
  EXPECT_THAT(Refusal({1, 4, 4, 3}, {1, 1, 1, 2}), HasSubstr("w is [1x1x1x2]"));
  EXPECT_THAT(Refusal({1, 4, 4, 3}, {1, 0, 1, 3}), HasSubstr("w is [1x0x1x3]"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c2_RejectsZeroSteps) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 1, 1}, {{"strides", Ints{1, 0}}}),
              HasSubstr("a stride is 0"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c3_RejectsNegativePads) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 1, 1, 1}, {{"pads", Ints{0, 0, 0, -2}}}),
              HasSubstr("a pad is -2"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c4_RejectsAWindowLargerThanTheImage) {
  EXPECT_THAT(Refusal({1, 4, 4, 1}, {1, 5, 1, 1}), HasSubstr("reaches 5 elements"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c5_RejectsABiasOfAnotherLength) {
  EXPECT_THAT(Refusal({1, 4, 4, 2}, {1, 1, 1, 2}, {}, 3),
              HasSubstr("the bias is [3], expected [2]"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c6_RejectsMixedDataTypes) {
  const TestTensor x(TensorType{DataType::kFloat32, {1, 1, 1, 1}});
  const TestTensor w(TensorType{DataType::kUint8, {1, 1, 1, 1}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(Depthwise(), {.inputs = {x, w}, .constant = {false, true}}),
              HasSubstr("x is float32 (none), w is uint8 (asymmetric_affine)"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c7_RejectsABiasOfAnotherScale) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}, 1}, {}, {}, random);
  op_case.inputs[2] = TestTensor({1}, std::vector<int32_t>{0}, QuantParams::Affine(0.5f, 0));
  EXPECT_THAT(RefusalOf(Depthwise(), op_case), HasSubstr("the bias's quantizer is scale=0.5"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c8_RejectsAnEmptyClamp) {
  EXPECT_THAT(Refusal({1, 1, 1, 1}, {1, 1, 1, 1}, {{"min", 2.0f}, {"max", 1.0f}}),
              HasSubstr("the clamp [2.0, 1.0] is empty"));
}

TEST(DepthwiseConv2dTest, depthwise_conv2d_c9_RejectsWeightsThatFlow) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1, 1, 1}, {1, 1, 1, 1}}, {}, random);
  op_case.constant = {false, false};
  EXPECT_THAT(RefusalOf(Depthwise(), op_case), HasSubstr("operand w is not constant"));
}

// 40,000 products of 255 and 255: 2.6e9, more than an int32 holds.
TEST(DepthwiseConv2dTest, SumsBeyond32BitsAreExact) {
  const QuantParams one = QuantParams::Affine(1, 0);
  const TestTensor x({1, 200, 200, 1}, std::vector<uint8_t>(40000, 255), one);
  const TestTensor w({1, 200, 200, 1}, std::vector<uint8_t>(40000, 255), one);
  const auto outputs = CheckConformance(
      Depthwise(), {.name = "largest",
                    .inputs = {x, w},
                    .constant = {false, true},
                    .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.3005e7f, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(200));
}

}  // namespace
}  // namespace synap_internal
