#include "kernels/softmax/softmax.h"

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

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

const OpDef& Softmax() { return SoftmaxOps()[0]; }
const OpDef& LogSoftmax() { return SoftmaxOps()[1]; }

struct ShapeAndAxis {
  Shape shape;
  int64_t axis;
};

const ShapeAndAxis kShapes[] = {
    {{1}, 0},          {{2, 2}, 1},      {{3, 15}, -1}, {{3, 16}, -1},    {{3, 17}, 1},
    {{2, 33}, 1},      {{1, 1000}, 1},   {{5, 270}, 1}, {{3, 5000}, 1},   {{700, 2}, 1},
    {{0, 4}, 1},       {{4, 0}, 1},      {{17, 5}, 0},  {{2, 16, 40}, 1}, {{2, 3, 4, 5}, 1},
    {{1, 300, 35}, 1}, {{2, 5000, 3}, 1}};

TEST(SoftmaxTest, EveryTargetEqualsTheReference) {
  TestRandom random(1);
  for (const OpDef& op : SoftmaxOps()) {
    for (const ShapeAndAxis& s : kShapes) {
      const std::string name = s.shape.ToString() + " axis " + std::to_string(s.axis);
      CheckConformance(op, {.name = name,
                            .inputs = {RandomTensor({DataType::kFloat32, s.shape, {}}, random)},
                            .attributes = {{"axis", s.axis}}});
      const TensorType bytes{DataType::kUint8, s.shape, QuantParams::Affine(0.05f, 128)};
      const QuantParams out =
          &op == &Softmax() ? QuantParams::Affine(1 / 255.0f, 0) : QuantParams::Affine(0.07f, 255);
      CheckConformance(op, {.name = name + " u8",
                            .inputs = {RandomTensor(bytes, random)},
                            .attributes = {{"axis", s.axis}},
                            .outputs = {{DataType::kUint8, {}, out}}});
      if (&op != &Softmax()) continue;
      const Attributes undivided = {{"axis", s.axis}, {"normalize", int64_t{0}}};
      CheckConformance(op, {.name = name + " undivided",
                            .inputs = {RandomTensor({DataType::kFloat32, s.shape, {}}, random)},
                            .attributes = undivided});
      CheckConformance(op, {.name = name + " undivided u8",
                            .inputs = {RandomTensor(bytes, random)},
                            .attributes = undivided,
                            .outputs = {{DataType::kUint8, {}, out}}});
    }
  }
}

TEST(SoftmaxTest, WithoutTheDivisionTheLargestOfARowIsOne) {
  const TestTensor x({2, 3}, std::vector<float>{0, 2, 1, 7, 7, 7});
  const auto y = CheckConformance(Softmax(), {.name = "undivided",
                                              .inputs = {x},
                                              .attributes = {{"normalize", int64_t{0}}}})[0]
                     .values<float>();
  EXPECT_THAT(y, ElementsAre(FloatNear(std::exp(-2.0f), 1e-7f), 1,
                             FloatNear(std::exp(-1.0f), 1e-7f), 1, 1, 1));
}

TEST(SoftmaxTest, IsTheSoftmaxOfEachRow) {
  TestRandom random(2);
  const TestTensor x = RandomTensor({DataType::kFloat32, {3, 40, 5}, {}}, random);
  const OpCase op_case{.name = "exact", .inputs = {x}, .attributes = {{"axis", int64_t{1}}}};
  const std::vector<float> in = x.values<float>();
  const std::vector<float> y = CheckConformance(Softmax(), op_case)[0].values<float>();
  const std::vector<float> log = CheckConformance(LogSoftmax(), op_case)[0].values<float>();
  for (size_t o = 0; o < 3; ++o) {
    for (size_t c = 0; c < 5; ++c) {
      double sum = 0;
      for (size_t k = 0; k < 40; ++k)
        sum += std::exp(static_cast<double>(in[(o * 40 + k) * 5 + c]));
      for (size_t k = 0; k < 40; ++k) {
        const size_t i = (o * 40 + k) * 5 + c;
        EXPECT_NEAR(y[i], std::exp(static_cast<double>(in[i])) / sum, 1e-7);
        EXPECT_NEAR(log[i], static_cast<double>(in[i]) - std::log(sum), 2e-6);
      }
    }
  }
}

TEST(SoftmaxTest, BytesSaturate) {
  const auto run = [](const OpDef& op, const QuantParams& out) {
    const TestTensor x({2}, std::vector<uint8_t>{0, 255}, QuantParams::Affine(0.05f, 0));
    return CheckConformance(
               op,
               {.name = "saturated", .inputs = {x}, .outputs = {{DataType::kUint8, {}, out}}})[0]
        .values<uint8_t>();
  };
  EXPECT_EQ(run(Softmax(), QuantParams::Affine(1 / 300.0f, 0)), (std::vector<uint8_t>{0, 255}));
  EXPECT_EQ(run(LogSoftmax(), QuantParams::Affine(0.01f, 255)), (std::vector<uint8_t>{0, 255}));
}

TEST(SoftmaxTest, LargeNumbersDoNotOverflow) {
  const auto out = CheckConformance(
      Softmax(),
      {.name = "large", .inputs = {TestTensor({3}, std::vector<float>{1e30f, 1e30f, 0})}});
  EXPECT_EQ(out[0].values<float>(), (std::vector<float>{0.5f, 0.5f, 0}));
}

TEST(SoftmaxTest, ExtremesAreTheSameOnEveryTarget) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(4 * 21, 0.25f);
  x[3] = nan;
  x[21 + 20] = inf;
  x[42 + 7] = -inf;
  for (size_t i = 63; i < 84; ++i) x[i] = -inf;
  for (const OpDef& op : SoftmaxOps()) {
    const auto out = CheckConformance(op, {.name = "extremes", .inputs = {TestTensor({4, 21}, x)}});
    EXPECT_TRUE(std::isnan(out[0].values<float>()[0]));
    EXPECT_FALSE(std::isnan(out[0].values<float>()[42]));
  }
}

// Also without the division, where a number's exponential would be one.
TEST(SoftmaxTest, ANanAnywhereIsTheWholeRows) {
  constexpr int64_t kLength = 150;
  for (int64_t at = 0; at < kLength; at += 7) {
    std::vector<float> x(kLength, 0.25f);
    x[static_cast<size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
    const auto out = CheckConformance(Softmax(), {.name = "NaN",
                                                  .inputs = {TestTensor({1, kLength}, x)},
                                                  .attributes = {{"normalize", int64_t{0}}}});
    for (const float value : out[0].values<float>()) EXPECT_TRUE(std::isnan(value)) << at;
  }
}

TEST(SoftmaxTest, RejectsOtherTypes) {  // softmax_c1
  EXPECT_THAT(
      RefusalOf(Softmax(), {.name = "int64", .inputs = {TestTensor({1}, std::vector<int64_t>{1})}}),
      HasSubstr("x of type int64, expected float32 or uint8 (softmax_c1)"));
}

TEST(SoftmaxTest, RejectsAnAxisThatXDoesNotHave) {  // softmax_c2
  const TestTensor x({2, 1}, std::vector<float>{1, 2});
  for (const int64_t axis : {2, -3}) {
    EXPECT_THAT(
        RefusalOf(Softmax(), {.name = "axis", .inputs = {x}, .attributes = {{"axis", axis}}}),
        HasSubstr("outside of a tensor of rank 2, expected one in [-2, 2)"));
  }
  EXPECT_THAT(
      RefusalOf(Softmax(), {.name = "scalar", .inputs = {TestTensor({}, std::vector<float>{1})}}),
      HasSubstr("axis -1 is outside of a tensor of rank 0"));
}

}  // namespace
}  // namespace synap_internal
