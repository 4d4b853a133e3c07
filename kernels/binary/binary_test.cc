#include "kernels/binary/binary.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/float_math.h"
#include "base/rounding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

const OpDef& Find(absl::string_view name) {
  for (const OpDef& op : BinaryOps()) {
    if (op.name == name) return op;
  }
  ADD_FAILURE() << name;
  return BinaryOps()[0];
}

TensorType Float(Shape shape) { return {DataType::kFloat32, std::move(shape), {}}; }

TensorType Affine(Shape shape, float scale, int32_t zero_point) {
  return {DataType::kUint8, std::move(shape), QuantParams::Affine(scale, zero_point)};
}

// Pairs of shapes: equal, scalar, channel vectors (short and long), general.
std::vector<std::pair<Shape, Shape>> Shapes() {
  std::vector<std::pair<Shape, Shape>> shapes;
  for (const int64_t n : {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 50, 63, 127})
    shapes.push_back({{n}, {n}});
  shapes.push_back({{2, 5, 7, 3}, {3}});
  shapes.push_back({{3}, {2, 5, 7, 3}});
  shapes.push_back({{1, 90, 7, 33}, {1, 1, 1, 33}});
  shapes.push_back({{40, 700}, {700}});
  shapes.push_back({{40, 513}, {40, 1}});
  shapes.push_back({{2, 60, 301}, {}});
  shapes.push_back({{1}, {60, 301}});
  shapes.push_back({{3, 1, 5, 1}, {1, 4, 1, 6}});
  shapes.push_back({{2, 3, 1}, {2, 1, 9}});
  shapes.push_back({{40000}, {40000}});
  return shapes;
}

std::string CaseName(const Shape& a, const Shape& b) { return a.ToString() + " " + b.ToString(); }

TEST(BinaryTest, EveryTargetEqualsTheReferenceInFloat) {
  TestRandom random(1);
  for (const OpDef& op : BinaryOps()) {
    for (const auto& [a, b] : Shapes()) {
      CheckConformance(
          op, {.name = CaseName(a, b),
               .inputs = {RandomTensor(Float(a), random), RandomTensor(Float(b), random)}});
    }
  }
}

TEST(BinaryTest, EveryTargetEqualsTheReferenceInUint8) {
  TestRandom random(2);
  for (const OpDef& op : BinaryOps()) {
    for (const auto& [a, b] : Shapes()) {
      OpCase op_case{.name = CaseName(a, b),
                     .inputs = {RandomTensor(Affine(a, 0.02f, 128), random),
                                RandomTensor(Affine(b, 0.013f, 3), random)}};
      if (op.quant_rule == QuantRule::kOwnRange) op_case.outputs = {Affine({}, 0.03f, 100)};
      CheckConformance(op, op_case);
    }
  }
}

// Of equal scales, many sums lie in the middle of two integers.
TEST(BinaryTest, EveryTargetGivesEachPairOfBytesItsSum) {
  std::vector<uint8_t> rows, columns;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      rows.push_back(static_cast<uint8_t>(a));
      columns.push_back(static_cast<uint8_t>(b));
    }
  }
  struct {
    float a, b, out;
  } const scales[] = {{1, 1, 2},          {0.5f, 0.25f, 1},       {0.02f, 0.02f, 0.04f},
                      {0.1f, 0.3f, 0.2f}, {0.013f, 0.02f, 0.03f}, {7e5f, 1e-5f, 3}};
  for (const char* name : {"add", "sub"}) {
    for (const auto& scale : scales) {
      for (const int zero_point : {0, 128, 131}) {
        for (const bool clamps : {false, true}) {
          OpCase op_case{
              .name = "pairs",
              .inputs = {TestTensor({256, 256}, rows, QuantParams::Affine(scale.a, zero_point)),
                         TestTensor({256, 256}, columns,
                                    QuantParams::Affine(scale.b, 255 - zero_point))},
              .outputs = {Affine({}, scale.out, zero_point)}};
          if (clamps) op_case.attributes = {{"min", 0.0f}, {"max", 6.0f}};
          CheckConformance(Find(name), op_case);
        }
      }
    }
  }
}

// Where the definition's roundings leave a choice, most sums have a short form.
TEST(BinaryTest, MostSumsOfBytesAreShort) {
  const binary::Run run =
      binary::FindRun(BinaryFunction::kAdd, DataType::kUint8, binary::kBothAdvance);
  ASSERT_NE(run, nullptr);
  TestRandom random(4);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    BinaryParams params{.function = BinaryFunction::kAdd};
    params.a_scale = random.Float(0.001f, 0.1f);
    params.b_scale = random.Float(0.001f, 0.1f);
    params.out_scale = random.Float(0.5f, 1.0f) * (params.a_scale + params.b_scale);
    params.a_zero_point = 128;
    params.b_zero_point = static_cast<int32_t>(random.Integer(0, 255));
    found += binary::FindShortSum(params, run).has_value();
  }
  EXPECT_GE(found, 15);
}

// Scales around those from which on quotients are divisions, results may be infinite, or both.
TEST(BinaryTest, EveryTargetEqualsTheReferenceAtExtremeScales) {
  TestRandom random(3);
  for (const float out_scale : {1e-38f, 1e-12f, 1e-9f, 1e-3f, 1e17f, 1e19f, 1e38f}) {
    for (const float scale : {1e-30f, 1e-3f, 0x1p30f, 0x1p31f, 0x1p60f}) {
      for (const OpDef& op : BinaryOps()) {
        if (op.quant_rule != QuantRule::kOwnRange) continue;
        CheckConformance(op, {.name = "scales",
                              .inputs = {RandomTensor(Affine({97}, scale, 128), random),
                                         RandomTensor(Affine({97}, scale * 0.7f, 3), random)},
                              .outputs = {Affine({}, out_scale, 100)}});
      }
    }
  }
}

TEST(BinaryTest, EveryTargetTreatsExtremesAlike) {
  const std::vector<float> extremes = {0.0f, -0.0f, 1,      -1,     kInf, -kInf,
                                       kNaN, 1e38f, -3e38f, 1e-40f, 0.5f};
  std::vector<float> a, b;
  for (const float x : extremes) {
    for (const float y : extremes) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const Shape shape{static_cast<int64_t>(a.size())};
  for (const OpDef& op : BinaryOps()) {
    CheckConformance(op,
                     {.name = "extremes", .inputs = {TestTensor(shape, a), TestTensor(shape, b)}});
  }
  CheckConformance(Find("add"), {.name = "clamped",
                                 .inputs = {TestTensor(shape, a), TestTensor(shape, b)},
                                 .attributes = {{"min", -1.0f}, {"max", 2.5f}}});
}

TEST(BinaryTest, NanWinsMinimumAndMaximum) {
  for (const char* name : {"minimum", "maximum"}) {
    const auto out = CheckConformance(
        Find(name), {.name = "nan",
                     .inputs = {TestTensor({3}, std::vector<float>{kNaN, 1, kNaN}),
                                TestTensor({3}, std::vector<float>{1, kNaN, kNaN})}});
    for (const float value : out[0].values<float>()) EXPECT_TRUE(std::isnan(value));
  }
}

TEST(BinaryTest, Uint8AddFollowsTheDocumentedFormula) {
  const std::vector<uint8_t> a = {0, 10, 128, 255}, b = {255, 3, 7, 255};
  const auto out =
      CheckConformance(Find("add"), {.name = "formula",
                                     .inputs = {TestTensor({4}, a, QuantParams::Affine(0.1f, 10)),
                                                TestTensor({4}, b, QuantParams::Affine(0.05f, 3))},
                                     .attributes = {{"min", 0.0f}, {"max", 20.0f}},
                                     .outputs = {Affine({}, 0.1f, 5)}});
  for (size_t i = 0; i < a.size(); ++i) {
    const double real = (a[i] - 10) * 0.1 + (b[i] - 3) * 0.05;
    const double clamped = std::fmin(std::fmax(real, 0), 20);
    EXPECT_EQ(out[0].values<uint8_t>()[i], std::lround(clamped / 0.1) + 5) << i;
  }
}

// Where the clamp may come after the quantizer, and where sums may be infinite, so that it may
// not.
TEST(BinaryTest, QuantizedClampsAreThoseOfRealNumbers) {
  std::vector<uint8_t> a, b;
  for (int i = 0; i < 256; ++i) {
    a.push_back(static_cast<uint8_t>(i));
    b.push_back(static_cast<uint8_t>(i * 37 + 11));
  }
  for (const float scale : {0.1f, 3.7e20f, 3e37f}) {
    for (const char* name : {"add", "sub", "mul"}) {
      CheckConformance(Find(name),
                       {.name = "clamped",
                        .inputs = {TestTensor({256}, a, QuantParams::Affine(scale, 10)),
                                   TestTensor({256}, b, QuantParams::Affine(scale * 0.7f, 200))},
                        .attributes = {{"min", -3.33f * scale}, {"max", 41.77f * scale}},
                        .outputs = {Affine({}, scale, 5)}});
    }
  }
}

TEST(BinaryTest, FloatOperatorsComputeWhatTheirNamesSay) {
  const TestTensor a({3}, std::vector<float>{6, -7.5f, 2}), b({3}, std::vector<float>{4, 2, -3});
  const auto run = [&](const char* name) {
    return CheckConformance(Find(name), {.name = name, .inputs = {a, b}})[0];
  };
  EXPECT_THAT(run("add").values<float>(), ElementsAre(10, -5.5f, -1));
  EXPECT_THAT(run("sub").values<float>(), ElementsAre(2, -9.5f, 5));
  EXPECT_THAT(run("mul").values<float>(), ElementsAre(24, -15, -6));
  EXPECT_THAT(run("div").values<float>(), ElementsAre(1.5f, -3.75f, 2.0f / -3.0f));
  EXPECT_THAT(run("minimum").values<float>(), ElementsAre(4, -7.5f, -3));
  EXPECT_THAT(run("maximum").values<float>(), ElementsAre(6, 2, 2));
  EXPECT_THAT(run("pow").values<float>(), ElementsAre(1296, 56.25f, 0.125f));
  EXPECT_THAT(run("mod").values<float>(), ElementsAre(2, -1.5f, 2));
  EXPECT_THAT(run("equal").values<bool>(), ElementsAre(false, false, false));
  EXPECT_THAT(run("less").values<bool>(), ElementsAre(false, true, false));
  EXPECT_THAT(run("greater").values<bool>(), ElementsAre(true, false, true));
}

TEST(BinaryTest, IntegersWrapTruncateAndFloor) {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const TestTensor a({4}, std::vector<int64_t>{-7, 7, lowest, 5});
  const TestTensor b({4}, std::vector<int64_t>{2, -2, -1, 0});
  const auto run = [&](const char* name) {
    return CheckConformance(Find(name), {.name = name, .inputs = {a, b}})[0].values<int64_t>();
  };
  EXPECT_THAT(run("div"), ElementsAre(-3, -3, lowest, 0));
  EXPECT_THAT(run("mod"), ElementsAre(1, -1, 0, 0));
  EXPECT_THAT(run("add"), ElementsAre(-5, 5, std::numeric_limits<int64_t>::max(), 5));
  EXPECT_THAT(run("mul"), ElementsAre(-14, -14, lowest, 0));
  EXPECT_THAT(run("minimum"), ElementsAre(-7, -2, lowest, 0));
}

TEST(BinaryTest, IntegersAreComparedAndBroadcast) {
  const auto out =
      CheckConformance(Find("less"), {.name = "int32",
                                      .inputs = {TestTensor({2, 1}, std::vector<int32_t>{1, 3}),
                                                 TestTensor({2}, std::vector<int32_t>{2, 3})}});
  EXPECT_EQ(out[0].type().shape, Shape({2, 2}));
  EXPECT_THAT(out[0].values<bool>(), ElementsAre(true, true, false, false));
}

TEST(BinaryTest, BooleansAreEqualOrNot) {
  const TestTensor a(TensorType{DataType::kBool, {5}, {}});
  EXPECT_EQ(RefusalOf(Find("equal"), {.name = "bool", .inputs = {a, a}}), "");
  EXPECT_THAT(RefusalOf(Find("add"), {.name = "bool", .inputs = {a, a}}), HasSubstr("binary_c2"));
}

TEST(BinaryTest, RejectsOperandsOfTwoTypes) {  // binary_c1
  EXPECT_THAT(RefusalOf(Find("add"), {.name = "types",
                                      .inputs = {TestTensor(Float({2})),
                                                 TestTensor({2}, std::vector<int64_t>{1, 2})}}),
              HasSubstr("float32 and int64, expected the same (binary_c1)"));
}

TEST(BinaryTest, RejectsTypesThatTheOpDoesNotTake) {  // binary_c2
  const TestTensor a({1}, std::vector<int64_t>{1});
  EXPECT_THAT(RefusalOf(Find("pow"), {.name = "int64", .inputs = {a, a}}), HasSubstr("binary_c2"));
}

TEST(BinaryTest, RejectsShapesThatDoNotBroadcast) {  // binary_c3
  EXPECT_THAT(RefusalOf(Find("mul"), {.name = "shapes",
                                      .inputs = {TestTensor(Float({2})), TestTensor(Float({3}))}}),
              HasSubstr("(binary_c3)"));
}

TEST(BinaryTest, RejectsAnEmptyOrMisplacedClamp) {  // binary_c4
  const TestTensor a(Float({2}));
  const TestTensor i({1}, std::vector<int64_t>{1});
  EXPECT_THAT(
      RefusalOf(Find("add"),
                {.name = "order", .inputs = {a, a}, .attributes = {{"min", 1.0f}, {"max", 0.0f}}}),
      HasSubstr("min is 1.0 and max is 0.0, expected min <= max (binary_c4)"));
  EXPECT_THAT(
      RefusalOf(Find("add"), {.name = "nan", .inputs = {a, a}, .attributes = {{"min", kNaN}}}),
      HasSubstr("binary_c4"));
  EXPECT_THAT(
      RefusalOf(Find("sub"), {.name = "int", .inputs = {i, i}, .attributes = {{"min", 1.0f}}}),
      HasSubstr("binary_c4"));
  EXPECT_NE(
      RefusalOf(Find("div"), {.name = "div", .inputs = {a, a}, .attributes = {{"min", 1.0f}}}), "");
}

TEST(BinaryTest, RefusesUint8WithoutQuantizers) {
  const TestTensor a({2}, std::vector<uint8_t>{1, 2});
  EXPECT_THAT(RefusalOf(Find("add"), {.name = "plain", .inputs = {a, a}}),
              HasSubstr("without a quantizer"));
}

}  // namespace
}  // namespace synap_internal
