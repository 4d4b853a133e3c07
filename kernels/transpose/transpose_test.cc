#include "kernels/transpose/transpose.h"

#include <algorithm>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Transpose() { return TransposeOps()[0]; }

OpCase Case(TensorType x, std::vector<int64_t> perm) {
  TestRandom random(1);
  return {.name = x.shape.ToString(),
          .inputs = {RandomTensor(std::move(x), random)},
          .attributes = {{"perm", std::move(perm)}}};
}

TEST(TransposeTest, ReordersDimensions) {
  const OpCase op_case{.name = "2x3x1",
                       .inputs = {TestTensor({2, 3, 1}, std::vector<int64_t>{1, 2, 3, 4, 5, 6})},
                       .attributes = {{"perm", std::vector<int64_t>{2, 1, 0}}}};
  const auto outputs = CheckConformance(Transpose(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{1, 3, 2}));
  EXPECT_THAT(outputs[0].values<int64_t>(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(TransposeTest, FollowsEveryOrderOfFourDimensions) {
  std::vector<int64_t> perm(4);
  std::iota(perm.begin(), perm.end(), 0);
  do {
    for (const DataType dtype :
         {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
      CheckConformance(Transpose(), Case({dtype, {3, 17, 5, 34}}, perm));
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(TransposeTest, HandlesTheLayoutsOfDetectors) {
  CheckConformance(Transpose(), Case({DataType::kUint8, {1, 3, 33, 35}}, {0, 2, 3, 1}));
  CheckConformance(Transpose(), Case({DataType::kFloat32, {1, 33, 35, 3}}, {0, 3, 1, 2}));
  CheckConformance(Transpose(), Case({DataType::kFloat32, {1, 3, 16, 20, 20}}, {0, 1, 3, 4, 2}));
  CheckConformance(Transpose(), Case({DataType::kUint8, {1, 2, 58, 14, 14}}, {0, 2, 1, 3, 4}));
}

TEST(TransposeTest, HandlesScalarsAndEmptyTensors) {
  CheckConformance(Transpose(), Case({DataType::kFloat32, {}}, {}));
  CheckConformance(Transpose(), Case({DataType::kFloat32, {3, 0, 2}}, {2, 0, 1}));
}

TEST(TransposeTest, MovesTheAxisOfAPerChannelQuantization) {
  OpCase op_case =
      Case({DataType::kInt8, {2, 3, 4}, QuantParams::PerChannel({1, 2, 3}, 1)}, {1, 2, 0});
  const auto outputs = CheckConformance(Transpose(), op_case);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().quant, QuantParams::PerChannel({1, 2, 3}, 0));
}

TEST(TransposeTest, RejectsWhatIsNoPermutation_transpose_c1) {
  const TensorType x{DataType::kFloat32, {2, 3, 4}};
  EXPECT_THAT(RefusalOf(Transpose(), Case(x, {0, 1, 1})), HasSubstr("perm [0, 1, 1]"));
  EXPECT_THAT(RefusalOf(Transpose(), Case(x, {0, 1, 3})), HasSubstr("0 to 2"));
  EXPECT_THAT(RefusalOf(Transpose(), Case(x, {0, 1})), HasSubstr("expected 3"));
}

TEST(TransposeTest, RejectsAnOutputQuantizedOtherwise) {
  OpCase op_case = Case({DataType::kUint8, {2, 3}, QuantParams::Affine(1.0f, 0)}, {1, 0});
  op_case.outputs = {{DataType::kUint8, {}, QuantParams::Affine(2.0f, 0)}};
  EXPECT_THAT(RefusalOf(Transpose(), op_case), HasSubstr("expected that of the input"));
  op_case = Case({DataType::kInt8, {2, 3}, QuantParams::PerChannel({1, 2}, 0)}, {1, 0});
  op_case.outputs = {{DataType::kInt32, {}, QuantParams::PerChannel({1, 2}, 1)}};
  EXPECT_THAT(RefusalOf(Transpose(), op_case), HasSubstr("expected that of the input, int8"));
}

}  // namespace
}  // namespace synap_internal
