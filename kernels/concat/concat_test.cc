#include "kernels/concat/concat.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Concat() { return ConcatOps()[0]; }

OpCase Case(const std::vector<TensorType>& types, int64_t axis) {
  TestRandom random(1);
  OpCase op_case{.name = types[0].shape.ToString(), .attributes = {{"axis", axis}}};
  for (const TensorType& type : types) op_case.inputs.push_back(RandomTensor(type, random));
  return op_case;
}

TEST(ConcatTest, JoinsAlongTheAxis) {
  OpCase op_case{.name = "axis",
                 .inputs = {TestTensor({2, 1}, std::vector<float>{1, 2}),
                            TestTensor({2, 2}, std::vector<float>{3, 4, 5, 6})},
                 .attributes = {{"axis", int64_t{-1}}}};
  auto outputs = CheckConformance(Concat(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{2, 3}));
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(ConcatTest, JoinsEveryElementSize) {
  for (const DataType dtype :
       {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
    CheckConformance(Concat(), Case({{dtype, {1, 5, 7, 16}}, {dtype, {1, 5, 7, 24}}}, 3));
    CheckConformance(Concat(), Case({{dtype, {1, 900, 4}}, {dtype, {1, 900, 1}}}, -1));
    CheckConformance(Concat(),
                     Case({{dtype, {1, 300, 85}}, {dtype, {1, 90, 85}}, {dtype, {1, 30, 85}}}, 1));
    CheckConformance(Concat(), Case({{dtype, {100000}}, {dtype, {0}}, {dtype, {70001}}}, 0));
    CheckConformance(Concat(), Case({{dtype, {3}}}, 0));
    CheckConformance(Concat(), Case({{dtype, {0, 3}}, {dtype, {0, 2}}}, 1));
  }
}

TEST(ConcatTest, RequantizesOperandsThatDifferFromTheOutput) {
  OpCase op_case{
      .name = "requantize",
      .inputs = {TestTensor({3}, std::vector<uint8_t>{0, 10, 255}, QuantParams::Affine(0.5f, 10)),
                 TestTensor({3}, std::vector<uint8_t>{0, 10, 255}, QuantParams::Affine(1.0f, 5))},
      .attributes = {{"axis", int64_t{0}}}};
  op_case.outputs = {{DataType::kUint8, {}, QuantParams::Affine(1.0f, 5)}};
  const auto outputs = CheckConformance(Concat(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  // -5 + 5; 0 + 5; 122.5 rounds to 122, + 5.
  EXPECT_THAT(outputs[0].values<uint8_t>(), ElementsAre(0, 5, 127, 0, 10, 255));
}

TEST(ConcatTest, RequantizesLargeOperandsOfBothSigns) {
  for (const DataType dtype : {DataType::kUint8, DataType::kInt8}) {
    OpCase op_case = Case({{dtype, {1, 40, 40, 37}, QuantParams::Affine(0.031f, 9)},
                           {dtype, {1, 40, 40, 64}, QuantParams::Affine(0.05f, 100)},
                           {dtype, {1, 40, 40, 8}, QuantParams::FixedPoint(4)}},
                          3);
    op_case.outputs = {{dtype, {}, QuantParams::Affine(0.05f, 100)}};
    CheckConformance(Concat(), op_case);
  }
}

TEST(ConcatTest, RejectsAnAxisOutside_concat_c1) {
  EXPECT_THAT(RefusalOf(Concat(), Case({{DataType::kFloat32, {2, 2}}}, 2)), HasSubstr("axis 2"));
}

TEST(ConcatTest, RejectsOperandsThatDiffer_concat_c2) {
  const TensorType x{DataType::kFloat32, {2, 2}};
  EXPECT_THAT(RefusalOf(Concat(), Case({x, {DataType::kFloat32, {3, 2}}}, 1)),
              HasSubstr("operand 1: has shape 3x2"));
  EXPECT_THAT(RefusalOf(Concat(), Case({x, {DataType::kFloat32, {2, 2, 1}}}, 1)),
              HasSubstr("operand 1: has shape 2x2x1"));
  EXPECT_THAT(RefusalOf(Concat(), Case({x, {DataType::kInt64, {2, 2}}}, 1)),
              HasSubstr("operand 1: is int64, expected float32"));
}

TEST(ConcatTest, RejectsPerChannelQuantization_concat_c3) {
  EXPECT_THAT(
      RefusalOf(Concat(), Case({{DataType::kInt8, {2}, QuantParams::PerChannel({1, 1}, 0)}}, 0)),
      HasSubstr("per channel"));
}

TEST(ConcatTest, RejectsToRequantizeOtherTypes_concat_c4) {
  OpCase op_case = Case({{DataType::kInt32, {2}, QuantParams::FixedPoint(3)}}, 0);
  op_case.outputs = {{DataType::kInt32, {}, QuantParams::FixedPoint(4)}};
  EXPECT_THAT(RefusalOf(Concat(), op_case), HasSubstr("no kernel requantizes int32"));
}

}  // namespace
}  // namespace synap_internal
