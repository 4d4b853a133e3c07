#include "kernels/expand/expand.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Expand() { return ExpandOps()[0]; }

OpCase Case(TensorType x, std::vector<int64_t> shape) {
  TestRandom random(1);
  return {.name = x.shape.ToString(),
          .inputs = {RandomTensor(std::move(x), random)},
          .attributes = {{"shape", std::move(shape)}}};
}

TEST(ExpandTest, RepeatsDimensionsOfExtentOne) {
  const OpCase op_case{.name = "2x1",
                       .inputs = {TestTensor({2, 1}, std::vector<float>{1, 2})},
                       .attributes = {{"shape", std::vector<int64_t>{2, 2, 3}}}};
  const auto outputs = CheckConformance(Expand(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
}

TEST(ExpandTest, RepeatsEveryElementSize) {
  for (const DataType dtype :
       {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
    CheckConformance(Expand(), Case({dtype, {1, 1, 1, 32}}, {2, 9, 9, 32}));
    CheckConformance(Expand(), Case({dtype, {2, 9, 9, 1}}, {2, 9, 9, 40}));
    CheckConformance(Expand(), Case({dtype, {}}, {70000}));
    CheckConformance(Expand(), Case({dtype, {1}}, {0}));
    CheckConformance(Expand(), Case({dtype, {5, 1, 7}}, {5, 3, 7}));
  }
}

TEST(ExpandTest, RejectsALowerRankAndAnInvalidShape_expand_c1) {
  EXPECT_THAT(RefusalOf(Expand(), Case({DataType::kFloat32, {1, 3}}, {3})),
              HasSubstr("can't expand 1x3 to 3"));
  EXPECT_THAT(RefusalOf(Expand(), Case({DataType::kFloat32, {1}}, {-3})),
              HasSubstr("negative dimension"));
}

TEST(ExpandTest, RejectsAnotherExtent_expand_c2) {
  EXPECT_THAT(RefusalOf(Expand(), Case({DataType::kFloat32, {2, 3}}, {2, 2, 4})),
              HasSubstr("can't expand 2x3 to 2x2x4"));
}

TEST(ExpandTest, RejectsPerChannelQuantization_expand_c3) {
  EXPECT_THAT(
      RefusalOf(Expand(),
                Case({DataType::kInt8, {1, 3}, QuantParams::PerChannel({1, 2, 3}, 1)}, {2, 3})),
      HasSubstr("per channel"));
}

}  // namespace
}  // namespace synap_internal
