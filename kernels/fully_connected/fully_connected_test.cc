#include "kernels/fully_connected/fully_connected.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/linear/linear_cases.h"
#include "kernels/testing/conformance.h"

namespace synap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& FullyConnected() { return FullyConnectedOps()[0]; }

TEST(FullyConnectedTest, MultipliesTheLastDimension) {
  const TestTensor x({2, 1, 2}, std::vector<float>{1, 2, 3, 4});
  const TestTensor w({3, 2}, std::vector<float>{1, 0, 0, 1, 1, 1});
  const TestTensor bias({3}, std::vector<float>{0, 0.5f, -10});
  const auto outputs = CheckConformance(FullyConnected(), {.name = "2x3",
                                                           .inputs = {x, w, bias},
                                                           .attributes = {{"min", -6.0f}},
                                                           .constant = {false, true, true}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{2, 1, 3}));
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(1, 2.5f, -6, 3, 4.5f, -3));
}

TEST(FullyConnectedTest, RequantizesTheExactSum) {
  const TestTensor x({2}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor w({1, 2}, std::vector<uint8_t>{3, 250}, QuantParams::Affine(0.25f, 5));
  const auto outputs = CheckConformance(
      FullyConnected(), {.name = "sum",
                         .inputs = {x, w},
                         .constant = {false, true},
                         .outputs = {{DataType::kUint8, {}, QuantParams::Affine(4, 9)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // 6 * -2 + 16 * 245 = 3908; 3908 * 0.125 / 4 = 122.125.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(131));
}

TEST(FullyConnectedTest, EqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 40; ++i) {
    const int64_t rows = random.Integer(0, 20), inputs = random.Integer(1, 70);
    const int64_t outputs = random.Integer(1, 150);
    const LinearShapes shapes{{rows, inputs}, {outputs, inputs}, outputs, inputs};
    CheckConformance(FullyConnected(), FloatLinearCase(shapes, {{"max", 3.0f}}, random));
    CheckConformance(FullyConnected(),
                     Uint8LinearCase(shapes, {}, RandomQuantizers(random, 0), random));
    CheckConformance(FullyConnected(),
                     Int16LinearCase(shapes, {}, RandomQuantizers(random, 0), random));
  }
}

TEST(FullyConnectedTest, AddsTheResidualAsTheOpAddWould) {
  TestRandom random(3);
  for (int i = 0; i < 12; ++i) {
    const int64_t rows = random.Integer(0, 20), outputs = random.Integer(1, 150);
    const LinearShapes shapes{{rows, 33}, {outputs, 33}, outputs, 33};
    const LinearQuantizers quantizers = RandomQuantizers(random, 0);
    CheckResidual(FullyConnected(), FloatLinearCase(shapes, {}, random), random);
    CheckResidual(FullyConnected(), Uint8LinearCase(shapes, {}, quantizers, random), random);
    CheckResidual(FullyConnected(), Int16LinearCase(shapes, {}, quantizers, random), random);
  }
}

TEST(FullyConnectedTest, fully_connected_c8_RejectsResidualsThatDontFit) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{2, 3}, {4, 3}}, {}, random);
  op_case.inputs.resize(kResidual);
  op_case.inputs.emplace_back(TensorType{DataType::kFloat32, {4}});
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case), HasSubstr("the residual is float32[4]"));
}

TEST(FullyConnectedTest, AcceptsAVectorOrNoRows) {
  TestRandom random(2);
  CheckConformance(FullyConnected(), FloatLinearCase({{5}, {3, 5}, 3, 5}, {}, random));
  CheckConformance(FullyConnected(), FloatLinearCase({{0, 5}, {3, 5}, 3, 5}, {}, random));
}

TEST(FullyConnectedTest, CountsMultiplyAccumulates) {
  const TensorType x{DataType::kFloat32, {4, 6}}, w{DataType::kFloat32, {8, 6}};
  EXPECT_EQ(FullyConnected().cost({x, w}, {{DataType::kFloat32, {4, 8}}}).macs, 32 * 6);
}

std::string Refusal(const Shape& x, const Shape& w, Attributes attributes = {},
                    int64_t channels = 0) {
  TestRandom random(1);
  return RefusalOf(FullyConnected(),
                   FloatLinearCase({x, w, channels}, std::move(attributes), random));
}

TEST(FullyConnectedTest, fully_connected_c1_RejectsShapesThatDontMultiply) {
  EXPECT_THAT(Refusal({4, 3}, {2, 4}), HasSubstr("x is [4x3], w is [2x4]"));
  EXPECT_THAT(Refusal({}, {2, 1}), HasSubstr("x is [scalar]"));
  EXPECT_THAT(Refusal({4, 3}, {2, 1, 3}), HasSubstr("w is [2x1x3]"));
  EXPECT_THAT(Refusal({4, 0}, {2, 0}), HasSubstr("w is [2x0]"));
}

TEST(FullyConnectedTest, fully_connected_c2_RejectsABiasOfAnotherLength) {
  EXPECT_THAT(Refusal({4, 3}, {2, 3}, {}, 3), HasSubstr("the bias is [3], expected [2]"));
}

TEST(FullyConnectedTest, fully_connected_c3_RejectsMixedDataTypes) {
  const TestTensor x(TensorType{DataType::kFloat32, {1, 1}});
  const TestTensor w(TensorType{DataType::kUint8, {1, 1}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(FullyConnected(), {.inputs = {x, w}, .constant = {false, true}}),
              HasSubstr("x is float32 (none), w is uint8 (asymmetric_affine)"));
}

TEST(FullyConnectedTest, fully_connected_c4_RejectsABiasOfAnotherScale) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1}, {1, 1}, 1}, {}, {}, random);
  op_case.inputs[2] = TestTensor({1}, std::vector<int32_t>{0}, QuantParams::Affine(0.5f, 0));
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case), HasSubstr("the bias's quantizer is scale=0.5"));
}

TEST(FullyConnectedTest, fully_connected_c5_RejectsATableOfAnotherLength) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1}, {1, 1}, 1}, {}, {.table = true}, random);
  op_case.inputs[3] = RandomTensor({DataType::kUint8, {255}}, random);
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case), HasSubstr("expected uint8[256]"));
}

TEST(FullyConnectedTest, fully_connected_c6_RejectsWeightsThatFlow) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1}, {1, 1}}, {}, random);
  op_case.constant = {false, false};
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case), HasSubstr("operand w is not constant"));
}

TEST(FullyConnectedTest, fully_connected_c7_RejectsSumsThatCouldOverflow) {
  const TestTensor x(TensorType{DataType::kUint8, {1, 20000}, QuantParams::Affine(1, 0)});
  const TestTensor w({1, 20000}, std::vector<uint8_t>(20000, 255), QuantParams::Affine(1, 0));
  EXPECT_THAT(
      RefusalOf(FullyConnected(), {.inputs = {x, w},
                                   .constant = {false, true},
                                   .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1, 0)}}}),
      HasSubstr("output channel 0 sums up to 1300500000"));
}

}  // namespace
}  // namespace synap
