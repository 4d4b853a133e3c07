#include "kernels/unary/unary.h"

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
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

const OpDef& Find(absl::string_view name) {
  for (const OpDef& op : UnaryOps()) {
    if (op.name == name) return op;
  }
  ADD_FAILURE() << name;
  return UnaryOps()[0];
}

TestTensor Vector(const std::vector<float>& values) {
  return TestTensor({static_cast<int64_t>(values.size())}, values);
}

TensorType Affine(Shape shape, float scale, int32_t zero_point) {
  return {DataType::kUint8, std::move(shape), QuantParams::Affine(scale, zero_point)};
}

bool TakesFloats(const OpDef& op) { return op.name != "logical_not"; }

TEST(UnaryTest, EveryTargetEqualsTheReferenceAtEveryLength) {
  TestRandom random(1);
  for (const OpDef& op : UnaryOps()) {
    if (!TakesFloats(op)) continue;
    for (const int64_t n : {0, 1, 3, 7, 8, 9, 15, 16, 17, 33, 50, 40000}) {
      CheckConformance(op, {.name = std::to_string(n),
                            .inputs = {RandomTensor({DataType::kFloat32, {n}, {}}, random)}});
    }
  }
}

TEST(UnaryTest, EveryTargetTreatsExtremesAlike) {
  std::vector<float> values = {0.0f,  -0.0f,  kInf,    -kInf,       kNaN,        1e-40f, -1e-40f,
                               1e38f, -1e38f, 0.5f,    -0.5f,       1.5f,        2.5f,   -2.5f,
                               3e9f,  -3e9f,  8388609, 0.49999997f, -0.49999997f};
  for (float x = -100; x < 100; x += 0.37f) values.push_back(x);
  for (const OpDef& op : UnaryOps()) {
    if (TakesFloats(op)) CheckConformance(op, {.name = "extremes", .inputs = {Vector(values)}});
  }
}

TEST(UnaryTest, Uint8IsTheFunctionOfTheRealNumbers) {
  TestRandom random(3);
  const TestTensor x = RandomTensor(Affine({3, 401}, 0.05f, 130), random);
  for (const OpDef& op : UnaryOps()) {
    if (!TakesFloats(op)) continue;
    const auto out =
        CheckConformance(op, {.name = "u8", .inputs = {x}, .outputs = {Affine({}, 0.03f, 60)}});
    const auto params = FloatUnary(op.name, {});
    ASSERT_TRUE(params.ok());
    const auto table =
        unary::ReferenceTable(*params, x.type().quant, QuantParams::Affine(0.03f, 60));
    for (size_t i = 0; i < 1203; ++i) {
      ASSERT_EQ(out[0].values<uint8_t>()[i], table[x.values<uint8_t>()[i]]) << op.name;
    }
  }
}

TEST(UnaryTest, TablesFollowTheDocumentedFormula) {
  const QuantParams in = QuantParams::Affine(0.04f, 100), out = QuantParams::Affine(0.02f, 7);
  const auto params = FloatUnary("leaky_relu", {{"alpha", 0.1f}});
  ASSERT_TRUE(params.ok());
  const auto table = unary::ReferenceTable(*params, in, out);
  for (int32_t q = 0; q < 256; ++q) {
    const float x = DequantizeValue(q, 0.04f, 100);
    const float y = x < 0 ? 0.1f * x : x;
    EXPECT_EQ(table[static_cast<size_t>(q)], QuantizeValue(y, 0.02f, 7, 0, 255)) << q;
  }
}

TEST(UnaryTest, UnknownFunctionsAndWrongAttributesAreRefused) {
  EXPECT_TRUE(absl::IsNotFound(FloatUnary("conv2d", {}).status()));
  EXPECT_FALSE(FloatUnary("relu", {{"alpha", 1.0f}}).ok());
}

struct Expected {
  const char* op;
  Attributes attributes;
  double (*exact)(double);
};

// The attributes give other results than their defaults would.
const Expected kExpected[] = {
    {"relu", {}, [](double x) { return std::fmax(x, 0); }},
    {"relu6", {}, [](double x) { return std::fmin(std::fmax(x, 0), 6); }},
    {"clip",
     {{"min", -1.5f}, {"max", 2.0f}},
     [](double x) { return std::fmin(std::fmax(x, -1.5), 2); }},
    {"leaky_relu", {{"alpha", 0.25f}}, [](double x) { return x < 0 ? x / 4 : x; }},
    {"sigmoid", {}, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"hard_sigmoid",
     {{"alpha", 0.25f}, {"beta", 0.375f}},
     [](double x) { return std::fmin(std::fmax(x / 4 + 0.375, 0), 1); }},
    {"tanh", {}, [](double x) { return std::tanh(x); }},
    {"silu", {}, [](double x) { return x / (1 + std::exp(-x)); }},
    {"hard_swish", {}, [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }},
    {"gelu", {}, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"gelu",
     {{"approximate", int64_t{1}}},
     [](double x) {
       return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
     }},
    {"erf", {}, [](double x) { return std::erf(x); }},
    {"elu", {{"alpha", 0.5f}}, [](double x) { return x < 0 ? std::expm1(x) / 2 : x; }},
    {"mish", {}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"softplus", {}, [](double x) { return std::log1p(std::exp(x)); }},
    {"exp", {}, [](double x) { return std::exp(x); }},
    {"log", {}, [](double x) { return std::log(x); }},
    {"sqrt", {}, [](double x) { return std::sqrt(x); }},
    {"rsqrt", {}, [](double x) { return 1 / std::sqrt(x); }},
    {"reciprocal", {}, [](double x) { return 1 / x; }},
    {"square", {}, [](double x) { return x * x; }},
    {"abs", {}, [](double x) { return std::fabs(x); }},
    {"neg", {}, [](double x) { return -x; }},
    {"sign", {}, [](double x) { return x > 0   ? 1.0
                                       : x < 0 ? -1.0
                                               : 0.0; }},
    {"floor", {}, [](double x) { return std::floor(x); }},
    {"ceil", {}, [](double x) { return std::ceil(x); }},
    {"round", {}, [](double x) { return std::nearbyint(x); }},
    {"sin", {}, [](double x) { return std::sin(x); }},
    {"cos", {}, [](double x) { return std::cos(x); }},
    {"tan", {}, [](double x) { return std::tan(x); }},
    {"asin", {}, [](double x) { return std::asin(x); }},
    {"acos", {}, [](double x) { return std::acos(x); }},
    {"atan", {}, [](double x) { return std::atan(x); }},
    {"sinh", {}, [](double x) { return std::sinh(x); }},
    {"cosh", {}, [](double x) { return std::cosh(x); }},
    {"asinh", {}, [](double x) { return std::asinh(x); }},
    {"acosh", {}, [](double x) { return std::acosh(x); }},
    {"atanh", {}, [](double x) { return std::atanh(x); }},
};

TEST(UnaryTest, FunctionsComputeWhatTheirNamesSay) {
  std::vector<float> values;
  for (float x = -9; x < 9; x += 0.0625f) values.push_back(x);
  for (const Expected& expected : kExpected) {
    const auto out = CheckConformance(
        Find(expected.op),
        {.name = "exact", .inputs = {Vector(values)}, .attributes = expected.attributes});
    const std::vector<float> found = out[0].values<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      const double exact = expected.exact(values[i]);
      if (!std::isfinite(exact)) continue;
      ASSERT_NEAR(found[i], exact, 2e-6 * std::fmax(0.2, std::fabs(exact)))
          << expected.op << "(" << values[i] << ")";
    }
  }
}

TEST(UnaryTest, NanStaysNan) {
  for (const OpDef& op : UnaryOps()) {
    if (!TakesFloats(op)) continue;
    const auto out = CheckConformance(op, {.name = "nan", .inputs = {Vector({kNaN})}});
    EXPECT_TRUE(std::isnan(out[0].values<float>()[0])) << op.name;
  }
}

TEST(UnaryTest, IntegersWrap) {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const TestTensor x({4}, std::vector<int64_t>{-3, 0, lowest, 1});
  const auto run = [&](const char* name) {
    return CheckConformance(Find(name), {.name = "int64", .inputs = {x}})[0].values<int64_t>();
  };
  EXPECT_THAT(run("abs"), ElementsAre(3, 0, lowest, 1));
  EXPECT_THAT(run("neg"), ElementsAre(3, 0, lowest, -1));
  EXPECT_THAT(run("sign"), ElementsAre(-1, 0, -1, 1));
  EXPECT_THAT(run("square"), ElementsAre(9, 0, 0, 1));
}

TEST(UnaryTest, LogicalNotTurnsBooleans) {
  TestTensor x(TensorType{DataType::kBool, {3}, {}});
  static_cast<bool*>(x.data())[0] = true;
  static_cast<bool*>(x.data())[1] = false;
  static_cast<bool*>(x.data())[2] = true;
  const auto out = CheckConformance(Find("logical_not"), {.name = "bool", .inputs = {x}});
  EXPECT_THAT(out[0].values<bool>(), ElementsAre(false, true, false));
}

TEST(UnaryTest, RejectsTypesThatTheOpDoesNotTake) {  // unary_c1
  const TestTensor integers({1}, std::vector<int64_t>{1});
  for (const char* name : {"relu", "exp", "logical_not"}) {
    EXPECT_THAT(RefusalOf(Find(name), {.name = "int64", .inputs = {integers}}),
                HasSubstr("x of type int64, which this op does not take (unary_c1)"));
  }
  EXPECT_THAT(RefusalOf(Find("logical_not"), {.name = "float", .inputs = {Vector({1})}}),
              HasSubstr("(unary_c1)"));
}

TEST(UnaryTest, RejectsAnEmptyClip) {  // unary_c2
  EXPECT_THAT(RefusalOf(Find("clip"), {.name = "order",
                                       .inputs = {Vector({1})},
                                       .attributes = {{"min", 2.0f}, {"max", 1.0f}}}),
              HasSubstr("min is 2.0 and max is 1.0, expected min <= max (unary_c2)"));
}

TEST(UnaryTest, RejectsInfiniteParameters) {  // unary_c3
  for (const char* name : {"leaky_relu", "elu", "hard_sigmoid"}) {
    EXPECT_THAT(
        RefusalOf(Find(name),
                  {.name = "alpha", .inputs = {Vector({1})}, .attributes = {{"alpha", kInf}}}),
        HasSubstr("(unary_c3)"));
  }
}

TEST(UnaryTest, RejectsAttributesOfOtherOps) {
  EXPECT_THAT(RefusalOf(Find("relu"),
                        {.name = "min", .inputs = {Vector({1})}, .attributes = {{"min", 0.0f}}}),
              HasSubstr("min"));
}

}  // namespace
}  // namespace synap_internal
