#include "kernels/fully_connected/fully_connected.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/linear/linear_cases.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
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

TEST(FullyConnectedTest, BytesGiveAnOutputOf16BitsWithoutRoundingTo8) {
  const TestTensor x({2}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor w({1, 2}, std::vector<uint8_t>{3, 250}, QuantParams::Affine(0.25f, 5));
  const TestTensor residual({1}, std::vector<int16_t>{-100}, QuantParams::Affine(1, 0));
  OpCase op_case{.name = "sum",
                 .inputs = {x, w},
                 .constant = {false, true},
                 .outputs = {{DataType::kInt16, {}, QuantParams::Affine(0.125f, -7)}}};
  auto outputs = CheckConformance(FullyConnected(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  // 6 * -2 + 16 * 245 = 3908.
  EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(3908 - 7));
  op_case.inputs.resize(kResidual);
  op_case.inputs.push_back(residual);
  op_case.constant.resize(op_case.inputs.size());
  op_case.attributes = {{"own_scale", 0.125f}, {"own_zero_point", int64_t{-7}}};
  outputs = CheckConformance(FullyConnected(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(3908 - 800 - 7));
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

// Few and many rows, of lengths in 4-byte steps around that of a register.
TEST(FullyConnectedTest, Uint8EqualsTheReferenceInMatrixRegisters) {
  if (!CpuHasAvx512Vnni()) GTEST_SKIP() << "no AVX-512 VNNI here";
  const WithEmulatedMatrixUnit emulated;
  TestRandom random(12);
  for (const int64_t inputs : {24, 27, 61, 64, 67, 72, 96, 131}) {
    for (const int64_t rows : {int64_t{4}, random.Integer(5, 69), int64_t{70}}) {
      const int64_t outputs = random.Integer(1, 70);
      const LinearShapes shapes{{rows, inputs}, {outputs, inputs}, outputs, inputs};
      CheckConformance(FullyConnected(),
                       Uint8LinearCase(shapes, {}, RandomQuantizers(random, 0), random));
      CheckResidual(FullyConnected(),
                    Uint8LinearCase(shapes, {}, RandomQuantizers(random, 0), random), random);
    }
  }
}

TEST(FullyConnectedTest, fully_connected_c7_RejectsResidualsThatDontFit) {
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

TEST(FullyConnectedTest, fully_connected_c6_RejectsOutputsOfOtherTypes) {
  TestRandom random(1);
  OpCase op_case = Uint8LinearCase({{1, 1}, {1, 1}, 1}, {}, {.table = true}, random);
  op_case.outputs[0].dtype = DataType::kInt16;
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case),
              HasSubstr("no kernel from uint8 (asymmetric_affine) with a table to int16"));
  op_case = Uint8LinearCase({{1, 1}, {1, 1}, 1}, {}, {}, random);
  op_case.inputs.resize(kResidual);
  op_case.inputs.push_back(
      RandomTensor({DataType::kInt16, {1, 1}, QuantParams::Affine(1, 0)}, random));
  op_case.constant.resize(op_case.inputs.size());
  op_case.attributes = {{"own_scale", 0.125f}};
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case),
              HasSubstr("and a residual int16 (asymmetric_affine) to uint8"));
}

TEST(FullyConnectedTest, fully_connected_c6_RejectsWeightsThatFlow) {
  TestRandom random(1);
  OpCase op_case = FloatLinearCase({{1, 1}, {1, 1}}, {}, random);
  op_case.constant = {false, false};
  EXPECT_THAT(RefusalOf(FullyConnected(), op_case), HasSubstr("operand w is not constant"));
}

// 40,000 products of 255 and 255: 2.6e9, more than an int32 holds.
TEST(FullyConnectedTest, SumsBeyond32BitsAreExact) {
  const QuantParams one = QuantParams::Affine(1, 0);
  const TestTensor x({1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const TestTensor w({1, 40000}, std::vector<uint8_t>(40000, 255), one);
  const auto outputs = CheckConformance(
      FullyConnected(), {.name = "largest",
                         .inputs = {x, w},
                         .constant = {false, true},
                         .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.3005e7f, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(200));
}

TEST(FullyConnectedTest, LongSumsEqualTheReference) {
  TestRandom random(11);
  for (const int64_t rows : {1, 3, 50}) {
    for (const int64_t channels : {1, 10, 37}) {
      for (const bool table : {false, true}) {
        for (const bool widens : {false, !table}) {
          const LinearQuantizers quantizers{.x_zero_point = table ? 255 : 0,
                                            .w_zero_point = table ? 0 : 255,
                                            .table = table,
                                            .widens = widens};
          CheckConformance(FullyConnected(), Uint8LinearCase({.x = {rows, 35001},
                                                              .w = {channels, 35001},
                                                              .channels = channels,
                                                              .reduction = 35001},
                                                             {}, quantizers, random));
        }
      }
    }
  }
}

TEST(FullyConnectedTest, LongSumsOfChannelwiseWeightsEqualTheReference) {
  TestRandom random(12);
  CheckConformance(
      FullyConnected(),
      Uint8LinearCase({.x = {2, 70001}, .w = {10, 70001}, .channels = 10, .reduction = 70001}, {},
                      {.x_zero_point = 0, .w_channels = 0}, random));
}

TEST(FullyConnectedTest, SumsOfMoreProductsOfInt16AreExact) {
  constexpr int64_t kProducts = (1 << 20) + 1000;
  const QuantParams one = QuantParams::Affine(1, 0);
  const TestTensor x({1, kProducts}, std::vector<int16_t>(kProducts, 32767), one);
  const TestTensor w({1, kProducts}, std::vector<int16_t>(kProducts, 32767), one);
  const float scale = 32767.0f * 32767.0f * static_cast<float>(kProducts) / 1000;
  const auto outputs = CheckConformance(
      FullyConnected(), {.name = "int16",
                         .inputs = {x, w},
                         .constant = {false, true},
                         .outputs = {{DataType::kInt16, {}, QuantParams::Affine(scale, 0)}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<int16_t>(), ElementsAre(1000));
}

}  // namespace
}  // namespace synap_internal
