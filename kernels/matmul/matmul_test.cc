#include "kernels/matmul/matmul.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& MatmulOp() { return MatmulOps()[0]; }

OpCase FloatCase(const Shape& a, const Shape& b, TestRandom& random) {
  return {.name = a.ToString() + " * " + b.ToString(),
          .inputs = {RandomTensor({DataType::kFloat32, a}, random),
                     RandomTensor({DataType::kFloat32, b}, random)}};
}

OpCase Uint8Case(const Shape& a, const Shape& b, TestRandom& random) {
  const auto zero_point = [&random] {
    return static_cast<int32_t>(std::clamp<int64_t>(random.Integer(-60, 315), 0, 255));
  };
  const QuantParams a_quant = QuantParams::Affine(0.02f, zero_point());
  const QuantParams b_quant = QuantParams::Affine(0.01f, zero_point());
  const QuantParams quant = QuantParams::Affine(random.Float(0.02f, 0.6f), zero_point());
  return {.name = a.ToString() + " * " + b.ToString() + " to " + quant.ToString(),
          .inputs = {RandomTensor({DataType::kUint8, a, a_quant}, random),
                     RandomTensor({DataType::kUint8, b, b_quant}, random)},
          .outputs = {{DataType::kUint8, {}, quant}}};
}

TEST(MatmulTest, MultipliesRowsByColumns) {
  const TestTensor a({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TestTensor b({3, 2}, std::vector<float>{1, 10, 2, 20, 3, 30});
  const auto outputs = CheckConformance(MatmulOp(), {.name = "2x3x2", .inputs = {a, b}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(14, 140, 32, 320));
}

TEST(MatmulTest, BroadcastsTheLeadingDimensions) {
  const TestTensor a({2, 1, 1, 1}, std::vector<float>{2, 3});
  const TestTensor b({3, 1, 1}, std::vector<float>{10, 20, 30});
  const auto outputs = CheckConformance(MatmulOp(), {.name = "batch", .inputs = {a, b}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{2, 3, 1, 1}));
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(20, 40, 60, 30, 60, 90));
}

TEST(MatmulTest, RequantizesTheExactSum) {
  const TestTensor a({1, 2}, std::vector<uint8_t>{10, 20}, QuantParams::Affine(0.5f, 4));
  const TestTensor b({2, 1}, std::vector<uint8_t>{3, 250}, QuantParams::Affine(0.25f, 5));
  const auto outputs = CheckConformance(
      MatmulOp(), {.name = "uint8",
                   .inputs = {a, b},
                   .outputs = {{DataType::kUint8, {}, QuantParams::Affine(4, 9)}}});
  ASSERT_EQ(outputs.size(), 1u);
  // 6 * -2 + 16 * 245 = 3908; 3908 * 0.125 / 4 = 122.125.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(131));
}

TEST(MatmulTest, EqualsTheReferenceOnRandomShapes) {
  TestRandom random(1);
  for (int i = 0; i < 50; ++i) {
    const int64_t m = random.Integer(1, 40), k = random.Integer(1, 70), n = random.Integer(1, 70);
    const int64_t batch = random.Integer(1, 3);
    const Shape a{batch, m, k}, b{random.Integer(0, 1) == 0 ? 1 : batch, k, n};
    CheckConformance(MatmulOp(), FloatCase(a, b, random));
    CheckConformance(MatmulOp(), Uint8Case(a, b, random));
  }
}

TEST(MatmulTest, Uint8EqualsTheReferenceWithoutVnni) {
  const WithoutCpuExtensions without;
  TestRandom random(2);
  for (const int64_t n : {1, 15, 16, 17, 50}) {
    CheckConformance(MatmulOp(), Uint8Case({9, 33}, {33, n}, random));
  }
}

TEST(MatmulTest, EqualsTheReferenceOverSeveralTasks) {
  TestRandom random(3);
  CheckConformance(MatmulOp(), FloatCase({1, 65, 9}, {2, 9, 300}, random));
  CheckConformance(MatmulOp(), Uint8Case({1, 65, 9}, {2, 9, 300}, random));
}

TEST(MatmulTest, NormalizedRowsAreWeightsOfAMean) {
  const TestTensor a({2, 2}, std::vector<float>{1, 3, 0.5f, 0});
  const TestTensor b({2, 2}, std::vector<float>{2, 10, 4, 20});
  const OpCase op_case{.name = "mean", .inputs = {a, b}, .attributes = {{"normalize", int64_t{1}}}};
  EXPECT_THAT(CheckConformance(MatmulOp(), op_case)[0].values<float>(),
              ElementsAre(3.5f, 17.5f, 2, 10));
}

// Whatever a's scale is; the third row's weights are all 0.
TEST(MatmulTest, MeansOfUint8AreRequantizedByRow) {
  const TestTensor a({3, 2}, std::vector<uint8_t>{4, 12, 2, 0, 0, 0}, QuantParams::Affine(9, 0));
  const TestTensor b({2, 1}, std::vector<uint8_t>{7, 9}, QuantParams::Affine(0.5f, 5));
  const OpCase op_case{.name = "mean",
                       .inputs = {a, b},
                       .attributes = {{"normalize", int64_t{1}}},
                       .outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.25f, 100)}}};
  // (4 * 1 + 12 * 2) / 16 = 1.75, 1 and 0.
  EXPECT_THAT(CheckConformance(MatmulOp(), op_case)[0].values<uint8_t>(),
              ElementsAre(107, 104, 100));
}

TEST(MatmulTest, MeansEqualTheReferenceOnRandomShapes) {
  TestRandom random(6);
  for (int i = 0; i < 50; ++i) {
    const int64_t m = random.Integer(1, 40), k = random.Integer(1, 70), n = random.Integer(1, 300);
    for (OpCase op_case :
         {FloatCase({2, m, k}, {k, n}, random), Uint8Case({2, m, k}, {2, k, n}, random)}) {
      op_case.attributes["normalize"] = int64_t{1};
      CheckConformance(MatmulOp(), op_case);
    }
  }
  OpCase long_rows = Uint8Case({3, 16513}, {16513, 19}, random);
  long_rows.attributes["normalize"] = int64_t{1};
  CheckConformance(MatmulOp(), long_rows);
}

TEST(MatmulTest, AcceptsEmptyMatrices) {
  TestRandom random(4);
  const auto outputs = CheckConformance(MatmulOp(), FloatCase({2, 0, 3}, {3, 4}, random));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{2, 0, 4}));
}

TEST(MatmulTest, CountsMultiplyAccumulates) {
  const TensorType a{DataType::kFloat32, {4, 6}}, b{DataType::kFloat32, {6, 8}};
  EXPECT_EQ(MatmulOp().cost({a, b}, {{DataType::kFloat32, {4, 8}}}).macs, 32 * 6);
}

std::string Refusal(const Shape& a, const Shape& b) {
  TestRandom random(1);
  return RefusalOf(MatmulOp(), FloatCase(a, b, random));
}

TEST(MatmulTest, matmul_c1_RejectsShapesThatDontMultiply) {
  EXPECT_THAT(Refusal({3}, {3, 2}), HasSubstr("a is [3], b is [3x2]"));
  EXPECT_THAT(Refusal({2, 3}, {2, 3}), HasSubstr("a is [2x3], b is [2x3]"));
  EXPECT_THAT(Refusal({2, 0}, {0, 3}), HasSubstr("a is [2x0], b is [0x3]"));
}

TEST(MatmulTest, matmul_c2_RejectsBatchesThatDontBroadcast) {
  EXPECT_THAT(Refusal({2, 1, 1}, {3, 1, 1}), HasSubstr("don't broadcast: 2 and 3"));
}

TEST(MatmulTest, matmul_c3_RejectsMixedDataTypes) {
  const TestTensor a(TensorType{DataType::kFloat32, {1, 1}});
  const TestTensor b(TensorType{DataType::kUint8, {1, 1}, QuantParams::Affine(1, 0)});
  EXPECT_THAT(RefusalOf(MatmulOp(), {.inputs = {a, b}}),
              HasSubstr("a is float32 (none), b is uint8 (asymmetric_affine)"));
}

// 40,000 products of 255 and 255: 2.6e9, more than an int32 holds.
TEST(MatmulTest, SumsBeyond32BitsAreExact) {
  const QuantParams one = QuantParams::Affine(1, 0);
  for (const int64_t columns : {1, 33}) {
    const TestTensor a({2, 40000}, std::vector<uint8_t>(80000, 255), one);
    const auto elements = static_cast<size_t>(40000 * columns);
    const TestTensor b({40000, columns}, std::vector<uint8_t>(elements, 255), one);
    const auto outputs = CheckConformance(
        MatmulOp(), {.name = "largest",
                     .inputs = {a, b},
                     .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.3005e7f, 0)}}});
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_THAT(outputs[0].values<uint8_t>(), Each(200));
  }
}

TEST(MatmulTest, LongSumsEqualTheReference) {
  TestRandom random(5);
  for (const int64_t depth : {16513, 32768, 33001}) {
    for (const int64_t columns : {1, 19, 65}) {
      OpCase op_case = Uint8Case({2, 13, depth}, {depth, columns}, random);
      op_case.outputs[0].quant = QuantParams::Affine(random.Float(2, 40), 128);
      CheckConformance(MatmulOp(), op_case);
    }
  }
}

TEST(MatmulTest, matmul_c4_RejectsAnotherOutput) {
  TestRandom random(1);
  OpCase op_case = Uint8Case({1, 1}, {1, 1}, random);
  op_case.outputs[0] = {DataType::kFloat32, {}, {}};
  EXPECT_THAT(RefusalOf(MatmulOp(), op_case), HasSubstr("no kernel from uint8 to float32"));
}

}  // namespace
}  // namespace synap_internal
