#include "kernels/gather/gather.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Gather() { return GatherOps()[0]; }

OpCase Case(TestTensor x, TestTensor indices, int64_t axis, bool constant = true) {
  return {.name = x.type().shape.ToString(),
          .inputs = {std::move(x), std::move(indices)},
          .attributes = {{"axis", axis}},
          .constant = {false, constant}};
}

TEST(GatherTest, PicksAlongTheAxis) {
  const TestTensor x({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TestTensor indices({1, 2}, std::vector<int64_t>{2, -3});
  const auto outputs = CheckConformance(Gather(), Case(x, indices, 1));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{2, 1, 2}));
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(3, 1, 6, 4));
}

TEST(GatherTest, DropsTheAxisForAScalarIndex) {
  const TestTensor x({4}, std::vector<int64_t>{1, 3, 640, 480});
  const auto outputs =
      CheckConformance(Gather(), Case(x, TestTensor({}, std::vector<int64_t>{2}), 0));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, Shape());
  EXPECT_THAT(outputs[0].values<int64_t>(), ElementsAre(640));
}

TEST(GatherTest, PicksEveryElementSizeWithBothIndexTypes) {
  TestRandom random(3);
  for (const DataType dtype :
       {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
    for (const Shape& shape : {Shape{5, 8, 9}, Shape{1, 8, 70000}, Shape{40000, 8}}) {
      const TestTensor x = RandomTensor({dtype, shape}, random);
      CheckConformance(Gather(), Case(x, TestTensor({4}, std::vector<int64_t>{7, 0, -1, 3}), 1));
      CheckConformance(Gather(), Case(x, TestTensor({2}, std::vector<int32_t>{-8, 7}), 1, false));
    }
    CheckConformance(Gather(), Case(RandomTensor({dtype, {0, 3}}, random),
                                    TestTensor({0}, std::vector<int64_t>{}), 0));
  }
}

TEST(GatherTest, ClampsComputedIndices) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  const TestTensor indices({4}, std::vector<int64_t>{3, -4, std::numeric_limits<int64_t>::max(),
                                                     std::numeric_limits<int64_t>::min()});
  const auto outputs = CheckConformance(Gather(), Case(x, indices, 0, false));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(3, 1, 3, 1));
}

TEST(GatherTest, RejectsIndicesOfAnotherType_gather_c1) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  EXPECT_THAT(RefusalOf(Gather(), Case(x, x, 0)), HasSubstr("indices are float32"));
}

TEST(GatherTest, RejectsAnAxisOutside_gather_c2) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  const TestTensor zero({}, std::vector<int64_t>{0});
  EXPECT_THAT(RefusalOf(Gather(), Case(x, zero, 1)), HasSubstr("axis 1"));
  EXPECT_THAT(RefusalOf(Gather(), Case(TestTensor({}, std::vector<float>{1}), zero, 0)),
              HasSubstr("axis 0"));
}

TEST(GatherTest, RejectsConstantIndicesOutside_gather_c3) {
  const TestTensor x({3}, std::vector<float>{1, 2, 3});
  EXPECT_THAT(RefusalOf(Gather(), Case(x, TestTensor({1}, std::vector<int64_t>{3}), 0)),
              HasSubstr("index 3 is outside of the extent 3"));
  EXPECT_THAT(RefusalOf(Gather(), Case(x, TestTensor({1}, std::vector<int32_t>{-4}), 0)),
              HasSubstr("index -4"));
}

TEST(GatherTest, RejectsPerChannelQuantization_gather_c4) {
  const TestTensor x({2}, std::vector<int8_t>{1, 2}, QuantParams::PerChannel({1, 2}, 0));
  EXPECT_THAT(RefusalOf(Gather(), Case(x, TestTensor({}, std::vector<int64_t>{0}), 0)),
              HasSubstr("per channel"));
}

TEST(GatherTest, RejectsAnEmptyAxis_gather_c5) {
  const TestTensor x({0}, std::vector<float>{});
  EXPECT_THAT(RefusalOf(Gather(), Case(x, TestTensor({}, std::vector<int64_t>{0}), 0)),
              HasSubstr("has no elements to gather"));
}

}  // namespace
}  // namespace synap_internal
