#include "kernels/where/where.h"

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

const OpDef& Where() { return WhereOps()[0]; }

TestTensor Condition(const std::vector<bool>& values) {
  TestTensor tensor(TensorType{DataType::kBool, {static_cast<int64_t>(values.size())}, {}});
  for (size_t i = 0; i < values.size(); ++i) static_cast<bool*>(tensor.data())[i] = values[i];
  return tensor;
}

TEST(WhereTest, TheFastPathEqualsTheReference) {
  TestRandom random(1);
  struct Shapes {
    Shape condition, a, b;
  };
  const Shapes shapes[] = {{{0}, {0}, {0}},          {{17}, {17}, {17}},
                           {{2, 3, 5}, {}, {5}},     {{1}, {4, 40}, {40}},
                           {{4, 1}, {1, 7}, {4, 7}}, {{300, 200}, {300, 200}, {1}}};
  for (const DataType type :
       {DataType::kFloat32, DataType::kUint8, DataType::kInt64, DataType::kFloat16}) {
    for (const Shapes& s : shapes) {
      CheckConformance(Where(),
                       {.name = s.condition.ToString(),
                        .inputs = {RandomTensor({DataType::kBool, s.condition, {}}, random),
                                   RandomTensor({type, s.a, {}}, random),
                                   RandomTensor({type, s.b, {}}, random)}});
    }
  }
}

TEST(WhereTest, ChoosesByTheCondition) {
  const auto out = CheckConformance(
      Where(),
      {.name = "choose",
       .inputs = {Condition({true, false, true}), TestTensor({3}, std::vector<float>{1, 2, 3}),
                  TestTensor({1}, std::vector<float>{-1})}});
  EXPECT_THAT(out[0].values<float>(), ElementsAre(1, -1, 3));
}

TEST(WhereTest, RequantizesToTheQuantizerOfTheOutput) {
  const std::vector<uint8_t> a = {0, 100, 255}, b = {7, 8, 9};
  const QuantParams a_quant = QuantParams::Affine(0.1f, 10), b_quant = QuantParams::Affine(1, 0);
  const QuantParams out_quant = QuantParams::Affine(0.2f, 50);
  const auto out = CheckConformance(
      Where(), {.name = "u8",
                .inputs = {Condition({true, true, false}), TestTensor({3}, a, a_quant),
                           TestTensor({3}, b, b_quant)},
                .outputs = {{DataType::kUint8, {}, out_quant}}});
  const auto expected = [](float real) { return QuantizeValue(real, 0.2f, 50, 0, 255); };
  EXPECT_THAT(out[0].values<uint8_t>(),
              ElementsAre(expected(DequantizeValue(0, 0.1f, 10)),
                          expected(DequantizeValue(100, 0.1f, 10)), expected(9)));
}

TEST(WhereTest, RejectsConditionsThatAreNotBoolean) {  // where_c1
  const TestTensor x({1}, std::vector<float>{1});
  EXPECT_THAT(RefusalOf(Where(), {.name = "float", .inputs = {x, x, x}}),
              HasSubstr("condition of type float32, expected bool (where_c1)"));
}

TEST(WhereTest, RejectsValuesOfTwoTypes) {  // where_c2
  const TestTensor x({1}, std::vector<float>{1}), i({1}, std::vector<int64_t>{1});
  EXPECT_THAT(RefusalOf(Where(), {.name = "types", .inputs = {Condition({true}), x, i}}),
              HasSubstr("float32 and int64, expected the same (where_c2)"));
}

TEST(WhereTest, RejectsShapesThatDoNotBroadcast) {  // where_c3
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  EXPECT_THAT(RefusalOf(Where(), {.name = "shapes", .inputs = {Condition({true, false}), x, x}}),
              HasSubstr("(where_c3)"));
}

TEST(WhereTest, RefusesUint8ThatOnlyTheOutputHasAQuantizerFor) {
  const TestTensor x({1}, std::vector<uint8_t>{1});
  EXPECT_THAT(RefusalOf(Where(), {.name = "uint8",
                                  .inputs = {Condition({true}), x, x},
                                  .outputs = {{DataType::kUint8, {}, QuantParams::Affine(1, 0)}}}),
              HasSubstr("no kernel for uint8"));
}

}  // namespace
}  // namespace synap_internal
