#include "kernels/slice/slice.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

const OpDef& Slice() { return SliceOps()[0]; }

OpCase Case(TensorType x, Ints starts, Ints sizes, Ints steps) {
  TestRandom random(1);
  return {.name = x.shape.ToString(),
          .inputs = {RandomTensor(std::move(x), random)},
          .attributes = {{"starts", starts}, {"sizes", sizes}, {"steps", steps}}};
}

TEST(SliceTest, TakesEveryStepFromTheStart) {
  const TestTensor x({2, 4}, std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  const auto outputs = CheckConformance(
      Slice(),
      {.name = "steps",
       .inputs = {x},
       .attributes = {{"starts", Ints{1, 0}}, {"sizes", Ints{1, 2}}, {"steps", Ints{1, 2}}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type().shape, (Shape{1, 2}));
  EXPECT_THAT(outputs[0].values<int64_t>(), ElementsAre(4, 6));
}

TEST(SliceTest, ReversesWithANegativeStep) {
  const TestTensor x({5}, std::vector<int64_t>{0, 1, 2, 3, 4});
  const auto outputs = CheckConformance(
      Slice(), {.name = "reverse",
                .inputs = {x},
                .attributes = {{"starts", Ints{4}}, {"sizes", Ints{3}}, {"steps", Ints{-2}}}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].values<int64_t>(), ElementsAre(4, 2, 0));
}

TEST(SliceTest, TakesPartsOfEveryElementSize) {
  for (const DataType dtype :
       {DataType::kUint8, DataType::kInt16, DataType::kFloat32, DataType::kInt64}) {
    CheckConformance(Slice(),
                     Case({dtype, {1, 8, 8, 32}}, {0, 0, 0, 16}, {1, 8, 8, 16}, {1, 1, 1, 1}));
    CheckConformance(Slice(),
                     Case({dtype, {1, 9, 8, 3}}, {0, 1, 0, 0}, {1, 4, 4, 3}, {1, 2, 2, 1}));
    CheckConformance(Slice(), Case({dtype, {1, 600, 85}}, {0, 0, 0}, {1, 600, 2}, {1, 1, 1}));
    CheckConformance(Slice(), Case({dtype, {40, 21}}, {3, 20}, {30, 21}, {1, -1}));
    CheckConformance(Slice(), Case({dtype, {4, 5}}, {4, 0}, {0, 5}, {1, 1}));
    CheckConformance(Slice(), Case({dtype, {}}, {}, {}, {}));
  }
}

TEST(SliceTest, RejectsNegativeSizesAndStepZero_slice_c1) {
  const TensorType x{DataType::kFloat32, {4}};
  EXPECT_THAT(RefusalOf(Slice(), Case(x, {0}, {-1}, {1})), HasSubstr("size -1 is negative"));
  EXPECT_THAT(RefusalOf(Slice(), Case(x, {0}, {1}, {0})), HasSubstr("step is 0"));
}

TEST(SliceTest, RejectsWhatReachesOutside_slice_c2) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const TensorType x{DataType::kFloat32, {4}};
  for (const auto& [start, size, step] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{4, 1, 1},
                                                          {-1, 1, 1},
                                                          {2, 3, 1},
                                                          {0, 3, 2},
                                                          {1, 3, -1},
                                                          {0, 5, 1},
                                                          {0, kMax, 1},
                                                          {0, 2, kMax},
                                                          {3, 2, kMin},
                                                          {kMin, 2, 1},
                                                          {kMax, 2, kMax}}) {
    EXPECT_THAT(RefusalOf(Slice(), Case(x, {start}, {size}, {step})),
                HasSubstr("reaches outside of the extent 4"))
        << start << " " << size << " " << step;
  }
}

TEST(SliceTest, IgnoresTheStepOfOneElement) {
  CheckConformance(
      Slice(), Case({DataType::kFloat32, {4}}, {3}, {1}, {std::numeric_limits<int64_t>::max()}));
}

TEST(SliceTest, RejectsPerChannelQuantization_slice_c3) {
  EXPECT_THAT(RefusalOf(Slice(), Case({DataType::kInt8, {2, 3}, QuantParams::PerChannel({1, 2}, 0)},
                                      {0, 0}, {1, 3}, {1, 1})),
              HasSubstr("per channel"));
}

}  // namespace
}  // namespace synap_internal
