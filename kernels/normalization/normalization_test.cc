#include "kernels/normalization/normalization.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

using Ints = std::vector<int64_t>;

const OpDef& Normalization() { return NormalizationOps()[0]; }

TestTensor Floats(const Shape& shape, TestRandom& random) {
  return RandomTensor({DataType::kFloat32, shape, {}}, random);
}

struct Rows {
  Shape x;
  Ints axes;
  // Empty: absent.
  std::vector<Shape> scale, bias;
};

const Rows kRows[] = {
    {{1}, {0}, {}, {}},
    {{3, 15}, {1}, {{15}}, {{15}}},
    {{3, 16}, {-1}, {{16}}, {}},
    {{3, 17}, {1}, {}, {{17}}},
    {{2, 5, 33}, {2}, {{}}, {{1}}},
    {{2, 4, 5, 6}, {1, 2, 3}, {{4, 5, 6}}, {{4, 1, 1}}},
    {{2, 4, 5, 6}, {3, 2}, {{4, 5, 1}}, {{4, 1, 1}}},
    // Channels of a group, one for each channel of one group, rows of many blocks.
    {{2, 3, 4, 35}, {2, 3}, {{3, 4, 1}}, {{3, 4, 1}}},
    {{1, 1, 4, 35}, {2, 3}, {{4, 1}}, {{4, 35}}},
    {{1, 70000}, {1}, {{1}}, {}},
    // Images: a row for each channel.
    {{1, 7, 9, 16}, {1, 2}, {{16}}, {{16}}},
    {{2, 5, 3, 33}, {1, 2}, {{33}}, {}},
    {{1, 40, 30, 70}, {1, 2}, {{1, 1, 70}}, {{}}},
    {{1, 5000, 3}, {1}, {{3}}, {{5000, 1}}},
    {{3, 4, 5}, {0, 1}, {{3, 4, 1}}, {{3, 1, 5}}},
    {{2, 6, 1, 5}, {1}, {{6, 1, 1}}, {{6, 1, 5}}},
    // Dimensions of 1 between and beside the axes.
    {{2, 4, 1, 6}, {1, 3}, {{4, 1, 6}}, {}},
    {{2, 1, 7}, {1}, {}, {}},
    {{4, 6}, {}, {{6}}, {}},
    {{0, 4}, {1}, {{4}}, {}},
    {{4, 0}, {1}, {}, {}},
};

OpCase CaseOf(const Rows& rows, TestTensor x, TestRandom& random) {
  OpCase op_case{.name = rows.x.ToString()};
  op_case.inputs = {std::move(x), TestTensor(), TestTensor()};
  if (!rows.scale.empty()) op_case.inputs[1] = Floats(rows.scale[0], random);
  if (!rows.bias.empty()) op_case.inputs[2] = Floats(rows.bias[0], random);
  op_case.constant = {false, true, true};
  op_case.attributes = {{"axes", rows.axes}, {"epsilon", 1e-3f}};
  return op_case;
}

TEST(NormalizationTest, EveryTargetEqualsTheReference) {
  TestRandom random(1);
  for (const Rows& rows : kRows) {
    OpCase real = CaseOf(rows, Floats(rows.x, random), random);
    CheckConformance(Normalization(), real);
    real.attributes["center"] = int64_t{0};
    real.attributes["max"] = 1.0f;
    real.attributes["min"] = -0.5f;
    real.name += " uncentered and clamped";
    CheckConformance(Normalization(), real);
  }
}

TEST(NormalizationTest, EveryPairOfTypesEqualsTheReference) {
  const TensorType types[] = {
      {DataType::kFloat32, {}, {}},
      {DataType::kFloat16, {}, {}},
      {DataType::kUint8, {}, QuantParams::Affine(0.03f, 121)},
      {DataType::kInt8, {}, QuantParams::Affine(0.03f, -7)},
      {DataType::kInt16, {}, QuantParams::Affine(0.0003f, 0)},
      {DataType::kInt16, {}, QuantParams::FixedPoint(12)},
  };
  TestRandom random(2);
  for (const Rows& rows : {kRows[1], kRows[7], kRows[11], kRows[13]}) {
    for (const TensorType& from : types) {
      for (const TensorType& to : types) {
        TensorType x = from;
        x.shape = rows.x;
        OpCase op_case = CaseOf(rows, RandomTensor(x, random), random);
        op_case.name += std::string(Name(from.dtype)) + " to " + std::string(Name(to.dtype));
        op_case.outputs = {to};
        CheckConformance(Normalization(), op_case);
      }
    }
  }
}

// Mean and mean square of each row, in double.
struct Moments {
  double mean, square;
};

Moments MomentsOf(const std::vector<float>& values, size_t begin, size_t n, size_t step) {
  Moments moments{0, 0};
  for (size_t k = 0; k < n; ++k) {
    const double value = values[begin + k * step];
    moments.mean += value / static_cast<double>(n);
    moments.square += value * value / static_cast<double>(n);
  }
  return moments;
}

TEST(NormalizationTest, RowsHaveMeanZeroAndMeanSquareOne) {
  TestRandom random(3);
  const TestTensor x = Floats({3, 50, 4}, random);
  const auto y =
      CheckConformance(Normalization(),
                       {.name = "rows", .inputs = {x}, .attributes = {{"axes", Ints{1}}}})[0]
          .values<float>();
  for (size_t row = 0; row < 12; ++row) {
    const Moments moments = MomentsOf(y, row / 4 * 200 + row % 4, 50, 4);
    EXPECT_NEAR(moments.mean, 0, 1e-6);
    EXPECT_NEAR(moments.square, 1, 1e-6);
  }
}

TEST(NormalizationTest, WithoutTheMeanRowsKeepTheirRatios) {
  const TestTensor x({1, 4}, std::vector<float>{1, 7, 5, 5});
  const auto y = CheckConformance(Normalization(),
                                  {.name = "rms",
                                   .inputs = {x},
                                   .attributes = {{"axes", Ints{1}}, {"center", int64_t{0}}}})[0]
                     .values<float>();
  EXPECT_THAT(y, ElementsAre(0.2f, FloatNear(1.4f, 1e-6f), 1, 1));
}

TEST(NormalizationTest, FactorsComeAfterTheDivisionAndBeforeTheClamp) {
  const TestTensor x({2, 2}, std::vector<float>{1, 3, 10, 30});
  const auto y =
      CheckConformance(Normalization(), {.name = "affine",
                                         .inputs = {x, TestTensor({2}, std::vector<float>{2, 3}),
                                                    TestTensor({2}, std::vector<float>{10, 20})},
                                         .attributes = {{"axes", Ints{1}}, {"max", 22.0f}},
                                         .constant = {false, true, true}})[0]
          .values<float>();
  EXPECT_THAT(y, ElementsAre(8, 22, 8, 22));
}

TEST(NormalizationTest, EpsilonKeepsConstantRowsFinite) {
  const TestTensor x({2, 3}, std::vector<float>{5, 5, 5, -0x1p90f, -0x1p90f, -0x1p90f});
  const auto run = [&](float epsilon) {
    return CheckConformance(Normalization(),
                            {.name = "constant",
                             .inputs = {x},
                             .attributes = {{"axes", Ints{1}}, {"epsilon", epsilon}}})[0]
        .values<float>();
  };
  EXPECT_THAT(run(1e-5f), Each(0));
  for (const float value : run(0)) EXPECT_TRUE(std::isnan(value));
}

TEST(NormalizationTest, NotANumberStaysInItsRow) {
  TestRandom random(4);
  std::vector<float> values = Floats({2, 33}, random).values<float>();
  values[5] = std::numeric_limits<float>::quiet_NaN();
  const auto y = CheckConformance(Normalization(), {.name = "nan",
                                                    .inputs = {TestTensor({2, 33}, values)},
                                                    .attributes = {{"axes", Ints{1}}}})[0]
                     .values<float>();
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_FALSE(std::isnan(y[33]));
}

// What several ops of int16 rounded to nothing: rows whose powers differ by 10^6.
TEST(NormalizationTest, SmallRowsOfIntegersLoseNothingInBetween) {
  std::vector<int16_t> values;
  for (int16_t k = 0; k < 16; ++k) values.push_back(static_cast<int16_t>((k % 2 * 2 - 1) * 30000));
  for (int16_t k = 0; k < 16; ++k) values.push_back(static_cast<int16_t>((k % 2 * 2 - 1) * 30));
  const TestTensor x({2, 16}, values, QuantParams::Affine(0.001f, 0));
  const auto y =
      CheckConformance(Normalization(),
                       {.name = "small",
                        .inputs = {x},
                        .attributes = {{"axes", Ints{1}}},
                        .outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.01f, 100)}}})[0]
          .values<uint8_t>();
  for (size_t k = 0; k < y.size(); ++k) EXPECT_EQ(y[k], k % 2 == 0 ? 0 : 200);
}

std::string Refusal(const Shape& x, const Attributes& attributes, const Shape& scale = {}) {
  TestRandom random(5);
  return RefusalOf(Normalization(), {.name = "refused",
                                     .inputs = {Floats(x, random), Floats(scale, random)},
                                     .attributes = attributes,
                                     .constant = {false, true}});
}

TEST(NormalizationTest, RejectsOtherTypes) {  // normalization_c1
  EXPECT_THAT(RefusalOf(Normalization(), {.name = "int64",
                                          .inputs = {TestTensor({1}, std::vector<int64_t>{1})},
                                          .attributes = {{"axes", Ints{0}}}}),
              HasSubstr("x of type int64, expected float32, uint8 or int16 (normalization_c1)"));
}

TEST(NormalizationTest, RejectsAxesThatXDoesNotHave) {  // normalization_c2
  EXPECT_THAT(Refusal({2, 3}, {{"axes", Ints{2}}}),
              HasSubstr("axis 2 is outside of a tensor of rank 2"));
  EXPECT_THAT(Refusal({2, 3}, {{"axes", Ints{1, -1}}}), HasSubstr("twice"));
}

TEST(NormalizationTest, RejectsAxesThatAreApart) {  // normalization_c3
  EXPECT_THAT(Refusal({2, 3, 4}, {{"axes", Ints{0, 2}}}),
              HasSubstr("dimension 1 of 2x3x4 is between the axes, expected axes next to each "
                        "other (normalization_c3)"));
}

TEST(NormalizationTest, RejectsFactorsThatNoRowTakes) {  // normalization_c4
  const Attributes last = {{"axes", Ints{2, 3}}};
  for (const Shape& scale : {Shape({6}), Shape({2, 1, 4, 5}), Shape({1, 1, 1, 1, 1}), Shape({7})}) {
    EXPECT_THAT(Refusal({2, 3, 4, 5}, last, scale), HasSubstr("normalization_c4"))
        << scale.ToString();
  }
  EXPECT_THAT(Refusal({2, 3, 4, 5}, last, {5}), HasSubstr("normalization_c4"));
  EXPECT_EQ(Refusal({2, 3, 4, 5}, last, {2, 3, 4, 1}), "");
  EXPECT_THAT(Refusal({2, 3, 4, 5}, {{"axes", Ints{1}}}, {5}), HasSubstr("normalization_c4"));
  TestRandom random(6);
  const TestTensor bytes =
      RandomTensor({DataType::kUint8, {5}, QuantParams::Affine(0.1f, 0)}, random);
  EXPECT_THAT(RefusalOf(Normalization(), {.name = "bytes",
                                          .inputs = {Floats({5}, random), bytes},
                                          .attributes = {{"axes", Ints{0}}},
                                          .constant = {false, true}}),
              HasSubstr("scale is uint8[5], expected float32"));
}

TEST(NormalizationTest, RejectsNegativeEpsilonAndCrossedLimits) {  // normalization_c5
  EXPECT_THAT(Refusal({2}, {{"axes", Ints{0}}, {"epsilon", -1.0f}}), HasSubstr("epsilon is -1.0"));
  EXPECT_THAT(Refusal({2}, {{"axes", Ints{0}}, {"min", 1.0f}, {"max", 0.0f}}),
              HasSubstr("(normalization_c5)"));
}

}  // namespace
}  // namespace synap_internal
