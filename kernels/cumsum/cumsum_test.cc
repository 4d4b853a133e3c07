#include "kernels/cumsum/cumsum.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpDef& Cumsum() { return CumsumOps()[0]; }

template <typename T>
std::vector<T> SumsOf(Shape shape, const std::vector<T>& x, Attributes attributes) {
  return CheckConformance(Cumsum(), {.name = "cumsum",
                                     .inputs = {TestTensor(std::move(shape), x)},
                                     .attributes = std::move(attributes)})[0]
      .template values<T>();
}

TEST(CumsumTest, SumsAlongTheAxis) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(SumsOf({2, 3}, x, {{"axis", int64_t{1}}}), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(SumsOf({2, 3}, x, {{"axis", int64_t{-2}}}), ElementsAre(1, 2, 3, 5, 7, 9));
}

TEST(CumsumTest, ExcludesTheElementItselfAndGoesBackwards) {
  const std::vector<int32_t> x = {1, 2, 3};
  const int64_t one = 1, axis = 0;
  EXPECT_THAT(SumsOf({3}, x, {{"axis", axis}, {"exclusive", one}}), ElementsAre(0, 1, 3));
  EXPECT_THAT(SumsOf({3}, x, {{"axis", axis}, {"reverse", one}}), ElementsAre(6, 5, 3));
  EXPECT_THAT(SumsOf({3}, x, {{"axis", axis}, {"reverse", one}, {"exclusive", one}}),
              ElementsAre(5, 3, 0));
}

TEST(CumsumTest, IntegersWrap) {
  const int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(SumsOf<int64_t>({2}, {largest, 1}, {{"axis", int64_t{0}}}),
              ElementsAre(largest, std::numeric_limits<int64_t>::min()));
}

TEST(CumsumTest, ThreadsDoNotChangeTheResult) {
  TestRandom random(1);
  for (const Shape& shape : {Shape{300, 200}, Shape{3, 7, 900}, Shape{0, 4}, Shape{4, 0}}) {
    CheckConformance(Cumsum(), {.name = shape.ToString(),
                                .inputs = {RandomTensor({DataType::kFloat32, shape, {}}, random)},
                                .attributes = {{"axis", int64_t{1}}}});
  }
}

std::string Refusal(TensorType type, int64_t axis) {
  return RefusalOf(
      Cumsum(),
      {.name = "refused", .inputs = {TestTensor(std::move(type))}, .attributes = {{"axis", axis}}});
}

TEST(CumsumTest, RejectsOtherTypes) {  // cumsum_c1
  EXPECT_THAT(Refusal({DataType::kBool, {2}, {}}, 0), HasSubstr("x of type bool"));
}

TEST(CumsumTest, RejectsAnAxisThatXDoesNotHave) {  // cumsum_c2
  EXPECT_THAT(Refusal({DataType::kFloat32, {2}, {}}, 1),
              HasSubstr("axis 1 is outside of a tensor of rank 1, expected one in [-1, 1)"));
}

}  // namespace
}  // namespace synap_internal
