#include "kernels/reduce/reduce.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/rounding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Axes = std::vector<int64_t>;

const OpDef& Find(absl::string_view name) {
  for (const OpDef& op : ReduceOps()) {
    if (op.name == name) return op;
  }
  ADD_FAILURE() << name;
  return ReduceOps()[0];
}

struct ShapeAndAxes {
  Shape shape;
  Axes axes;
};

const ShapeAndAxes kShapes[] = {
    {{}, {}},
    {{5}, {0}},
    {{1, 1, 1}, {1}},
    {{3, 15}, {-1}},
    {{3, 16}, {1}},
    {{3, 33}, {1}},
    {{2, 1000}, {0, 1}},
    {{40, 700}, {1}},
    {{700, 3}, {1}},
    {{1, 7, 7, 130}, {1, 2}},
    {{2, 9, 5, 64}, {1, 2}},
    {{2, 9, 5, 3}, {1, 2}},
    {{2, 9, 5, 17}, {1, 2}},
    {{33, 20}, {0}},
    {{8193, 19}, {0}},
    {{2, 65537}, {1}},
    {{5000, 2, 3}, {0, 2}},
    {{2, 3, 4, 5}, {0, 2}},
    {{2, 3, 4, 5}, {1, 3}},
    {{4, 1, 6, 1}, {2, 3}},
    {{2, 3}, {}},
    {{0, 3}, {1}},
};

OpCase Case(const ShapeAndAxes& s, TestTensor x) {
  return {.name = absl::StrCat(s.shape.ToString(), " over [", absl::StrJoin(s.axes, ","), "]"),
          .inputs = {std::move(x)},
          .attributes = {{"axes", s.axes}}};
}

TEST(ReduceTest, EveryTargetEqualsTheReferenceInFloat) {
  TestRandom random(1);
  for (const OpDef& op : ReduceOps()) {
    for (const ShapeAndAxes& s : kShapes) {
      CheckConformance(op, Case(s, RandomTensor({DataType::kFloat32, s.shape, {}}, random)));
    }
  }
}

TEST(ReduceTest, EveryTargetEqualsTheReferenceInUint8) {
  TestRandom random(2);
  for (const OpDef& op : ReduceOps()) {
    for (const ShapeAndAxes& s : kShapes) {
      const TensorType type{DataType::kUint8, s.shape, QuantParams::Affine(0.02f, 120)};
      OpCase op_case = Case(s, RandomTensor(type, random));
      op_case.outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.05f, 40)}};
      CheckConformance(op, op_case);
    }
  }
}

TEST(ReduceTest, IntegersAreReducedToo) {
  TestRandom random(3);
  for (const OpDef& op : ReduceOps()) {
    if (op.name == "reduce_l2") continue;
    for (const DataType type : {DataType::kInt64, DataType::kInt32}) {
      CheckConformance(op, Case({{3, 4, 5}, {1}}, RandomTensor({type, {3, 4, 5}, {}}, random)));
    }
  }
}

TEST(ReduceTest, FunctionsComputeWhatTheirNamesSay) {
  const TestTensor x({2, 3}, std::vector<float>{1, -2, 3, 4, 5, -6});
  const auto run = [&](const char* name) {
    return CheckConformance(Find(name), Case({{2, 3}, {1}}, x))[0].values<float>();
  };
  EXPECT_THAT(run("reduce_sum"), ElementsAre(2, 3));
  EXPECT_THAT(run("reduce_mean"), ElementsAre(2.0f / 3, 1));
  EXPECT_THAT(run("reduce_max"), ElementsAre(3, 5));
  EXPECT_THAT(run("reduce_min"), ElementsAre(-2, -6));
  EXPECT_THAT(run("reduce_prod"), ElementsAre(-6, -120));
  EXPECT_THAT(run("reduce_l2"), ElementsAre(std::sqrt(14.0f), std::sqrt(77.0f)));
}

TEST(ReduceTest, IntegerFunctionsComputeWhatTheirNamesSay) {
  const TestTensor x({2, 2}, std::vector<int64_t>{1, -8, 3, 4});
  const auto run = [&](const char* name) {
    return CheckConformance(Find(name), Case({{2, 2}, {1}}, x))[0].values<int64_t>();
  };
  EXPECT_THAT(run("reduce_sum"), ElementsAre(-7, 7));
  EXPECT_THAT(run("reduce_mean"), ElementsAre(-3, 3));
  EXPECT_THAT(run("reduce_max"), ElementsAre(1, 4));
  EXPECT_THAT(run("reduce_min"), ElementsAre(-8, 3));
  EXPECT_THAT(run("reduce_prod"), ElementsAre(-8, 12));
}

TEST(ReduceTest, ExtremesOfBytesReachBothEnds) {
  const QuantParams ones = QuantParams::Affine(1, 0);
  const TestTensor x({2, 3}, std::vector<uint8_t>{0, 0, 0, 255, 255, 255}, ones);
  for (const char* name : {"reduce_max", "reduce_min"}) {
    OpCase op_case = Case({{2, 3}, {1}}, x);
    op_case.outputs = {{DataType::kUint8, {}, ones}};
    EXPECT_THAT(CheckConformance(Find(name), op_case)[0].values<uint8_t>(), ElementsAre(0, 255));
  }
}

TEST(ReduceTest, DimensionsStayOrGo) {
  const TestTensor x(TensorType{DataType::kFloat32, {2, 3, 4}, {}});
  const auto shape = [&](int64_t keep_dims) {
    const Attributes attributes = {{"axes", Axes{-1, 0}}, {"keep_dims", keep_dims}};
    return (*Find("reduce_sum").infer({{x.type()}, attributes}))[0].shape;
  };
  EXPECT_EQ(shape(1), Shape({1, 3, 1}));
  EXPECT_EQ(shape(0), Shape({3}));
}

TEST(ReduceTest, GlobalAveragePoolingRoundsOnce) {
  std::vector<uint8_t> x(49 * 2);
  int64_t sum = 0;
  for (size_t i = 0; i < 49; ++i) {
    x[2 * i] = static_cast<uint8_t>(i * 5 % 251);
    x[2 * i + 1] = 200;
    sum += x[2 * i] - 13;
  }
  OpCase op_case =
      Case({{1, 7, 7, 2}, {1, 2}}, TestTensor({1, 7, 7, 2}, x, QuantParams::Affine(0.1f, 13)));
  op_case.outputs = {{DataType::kUint8, {}, QuantParams::Affine(0.07f, 9)}};
  const auto out = CheckConformance(Find("reduce_mean"), op_case)[0].values<uint8_t>();
  EXPECT_EQ(out[0], std::lround(static_cast<double>(sum) * 0.1 / 0.07 / 49) + 9);
  EXPECT_EQ(out[1], 255);
}

TEST(ReduceTest, LongSumsStayExact) {
  // One chain of float32 gives 0.1006.
  for (const Shape& shape : {Shape({600000, 1}), Shape({600000, 3})}) {
    const TestTensor x(shape, std::vector<float>(static_cast<size_t>(shape.elements()), 0.1f));
    const auto mean =
        CheckConformance(Find("reduce_mean"), Case({shape, {0}}, x))[0].values<float>();
    for (const float value : mean) EXPECT_NEAR(value, 0.1f, 1e-5f);
  }
}

TEST(ReduceTest, NormAndMeanOverflowOnlyWhereTheyAreTooLarge) {
  for (const Axes& axes : {Axes{1}, Axes{0}, Axes{0, 1}}) {
    const int64_t n = axes.size() == 2 ? 1600 : 40;
    const TestTensor x({40, 40}, std::vector<float>(1600, 3e30f));
    const auto norm = CheckConformance(Find("reduce_l2"), Case({{40, 40}, axes}, x));
    const float expected = 3e30f * std::sqrt(static_cast<float>(n));
    EXPECT_NEAR(norm[0].values<float>()[0], expected, expected * 1e-5f);
    const TestTensor large({40, 40}, std::vector<float>(1600, -3e38f));
    const auto mean = CheckConformance(Find("reduce_mean"), Case({{40, 40}, axes}, large));
    EXPECT_NEAR(mean[0].values<float>()[0], -3e38f, 3e33f);
  }
}

TEST(ReduceTest, NanWinsMaximumAndMinimum) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(3 * 40, 1);
  x[17] = nan;
  x[40] = nan;
  x[119] = nan;
  for (const char* name : {"reduce_max", "reduce_min"}) {
    for (const Axes& axes : {Axes{1}, Axes{0}, Axes{0, 1}}) {
      const auto out = CheckConformance(Find(name), Case({{3, 40}, axes}, TestTensor({3, 40}, x)));
      EXPECT_TRUE(std::isnan(out[0].values<float>()[0])) << name;
    }
  }
}

TEST(ReduceTest, RejectsTypesThatTheOpDoesNotTake) {  // reduce_c1
  const TestTensor x({1}, std::vector<int64_t>{1});
  EXPECT_THAT(RefusalOf(Find("reduce_l2"), Case({{1}, {0}}, x)), HasSubstr("(reduce_c1)"));
  const TestTensor flags(TensorType{DataType::kBool, {1}, {}});
  EXPECT_THAT(RefusalOf(Find("reduce_sum"), Case({{1}, {0}}, flags)), HasSubstr("(reduce_c1)"));
}

TEST(ReduceTest, RejectsAxesThatXDoesNotHaveOrTwice) {  // reduce_c2
  const TestTensor x({2, 1}, std::vector<float>{1, 2});
  for (const Axes& axes : {Axes{2}, Axes{-3}, Axes{1, -1}}) {
    EXPECT_THAT(RefusalOf(Find("reduce_sum"), Case({{2, 1}, axes}, x)),
                AnyOf(HasSubstr("outside of a tensor of rank 2, expected one in [-2, 2)"),
                      HasSubstr("axis 1 is given twice")));
  }
}

TEST(ReduceTest, RejectsToReduceNothing) {  // reduce_c3
  const TestTensor x(TensorType{DataType::kFloat32, {3, 0}, {}});
  EXPECT_THAT(RefusalOf(Find("reduce_max"), Case({{3, 0}, {1}}, x)), HasSubstr("(reduce_c3)"));
}

TEST(ReduceTest, RejectsSumsThatCouldOverflow) {  // reduce_c4
  const TensorType type{DataType::kUint8, {4097, 2048}, QuantParams::Affine(1, 0)};
  const auto refused = Find("reduce_sum").infer({{type}, {{"axes", Axes{0, 1}}}});
  EXPECT_THAT(refused.status().message(), HasSubstr("(reduce_c4)"));
}

}  // namespace
}  // namespace synap_internal
