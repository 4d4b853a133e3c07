#include "compiler/import/emit/axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

std::vector<int64_t> Elements(const AxisSlice& slice) {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < slice.size; ++i) elements.push_back(slice.start + i * slice.step);
  return elements;
}

TEST(AxesFromTest, EndsAtTheRank) {
  EXPECT_THAT(AxesFrom(1, 4), ElementsAre(1, 2, 3));
  EXPECT_THAT(AxesFrom(4, 4), IsEmpty());
}

TEST(ResolveAxisSliceTest, IsPythonsSlice) {
  const auto elements = [](int64_t start, int64_t end, int64_t step) {
    return Elements(ResolveAxisSlice(5, start, end, step).value());
  };
  EXPECT_THAT(elements(1, 3, 1), ElementsAre(1, 2));
  EXPECT_THAT(elements(-2, kMax, 1), ElementsAre(3, 4));
  EXPECT_THAT(elements(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(elements(kMax, kMin, -2), ElementsAre(4, 2, 0));
  EXPECT_THAT(elements(3, 3, 1), IsEmpty());
  EXPECT_THAT(elements(1, -1, 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(elements(kMin, kMin, 1), IsEmpty());
  EXPECT_THAT(elements(-1, -3, -1), ElementsAre(4, 3));
  EXPECT_THAT(elements(kMin, kMax, kMax), ElementsAre(0));
}

TEST(ResolveAxisSliceTest, RefusesStepsWithoutAnEnd) {
  EXPECT_THAT(ErrorOf(ResolveAxisSlice(5, 0, 5, 0)), HasSubstr("a step of 0"));
  EXPECT_FALSE(ResolveAxisSlice(5, 0, 5, kMin).ok());
}

TEST(ResolveRangeTest, IsPythonsRange) {
  const auto elements = [](int64_t start, int64_t end, int64_t step) {
    return Elements(ResolveRange(start, end, step).value());
  };
  EXPECT_THAT(elements(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(elements(5, 0, -2), ElementsAre(5, 3, 1));
  EXPECT_THAT(elements(5, 0, 1), IsEmpty());
}

TEST(ResolveRangeTest, RefusesNumbersThatOverflow) {
  EXPECT_THAT(ErrorOf(ResolveRange(0, kMax, 1)), HasSubstr("has the number 9223372036854775807"));
  EXPECT_THAT(ErrorOf(ResolveRange(0, 5, 0)), HasSubstr("a step of 0"));
}

}  // namespace
}  // namespace synap_internal
