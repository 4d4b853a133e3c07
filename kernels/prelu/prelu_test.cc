#include "kernels/prelu/prelu.h"

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

const OpDef& Prelu() { return PreluOps()[0]; }

TensorType Type(DataType type, Shape shape) {
  if (type == DataType::kFloat32) return {type, std::move(shape), {}};
  return {type, std::move(shape), QuantParams::Affine(0.02f, 110)};
}

TEST(PreluTest, EveryTargetEqualsTheReference) {
  TestRandom random(1);
  const std::pair<Shape, Shape> shapes[] = {{{17}, {17}},         {{2, 5, 7, 3}, {3}},
                                            {{1, 9, 9, 33}, {1}}, {{1, 80, 40, 16}, {1, 1, 16}},
                                            {{3, 600}, {1, 600}}, {{2, 5, 4, 4}, {5, 1, 1}},
                                            {{0, 4}, {4}}};
  for (const DataType type : {DataType::kFloat32, DataType::kUint8}) {
    for (const auto& [x, slope] : shapes) {
      CheckConformance(Prelu(), {.name = x.ToString(),
                                 .inputs = {RandomTensor(Type(type, x), random),
                                            RandomTensor(Type(type, slope), random)},
                                 .constant = {false, true},
                                 .outputs = {Type(type, {})}});
    }
  }
}

TEST(PreluTest, MultipliesNegativeValuesByTheirChannelsSlope) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto out = CheckConformance(
      Prelu(), {.name = "float",
                .inputs = {TestTensor({3, 2}, std::vector<float>{-1, -1, 2, 2, nan, -4}),
                           TestTensor({2}, std::vector<float>{0.5f, 10})}});
  const std::vector<float> y = out[0].values<float>();
  EXPECT_THAT(std::vector<float>(y.begin(), y.begin() + 4), ElementsAre(-0.5f, -10, 2, 2));
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_EQ(y[5], -40);
}

TEST(PreluTest, RejectsOperandsOfOtherTypes) {  // prelu_c1
  const TestTensor x({2}, std::vector<int64_t>{1, 2});
  EXPECT_THAT(RefusalOf(Prelu(), {.name = "int64", .inputs = {x, x}}),
              HasSubstr("expected float32 or uint8 for both (prelu_c1)"));
}

TEST(PreluTest, RejectsSlopesOfAnotherShape) {  // prelu_c2
  const TestTensor x(Type(DataType::kFloat32, {4, 3}));
  for (const Shape& slope : {Shape{4}, Shape{2, 1, 3}, Shape{1, 1, 3}}) {
    EXPECT_THAT(RefusalOf(Prelu(), {.name = "slope",
                                    .inputs = {x, TestTensor(Type(DataType::kFloat32, slope))}}),
                HasSubstr("(prelu_c2)"));
  }
}

}  // namespace
}  // namespace synap_internal
