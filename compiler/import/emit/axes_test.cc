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
  EXPECT_THAT(elements(kMax, kMin, -1), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(elements(3, 0, -1), ElementsAre(3, 2, 1));
}

TEST(ResolveAxisSliceTest, HasNoElementsWhereTheEndComesFirst) {
  const auto size = [](int64_t start, int64_t end, int64_t step) {
    return ResolveAxisSlice(5, start, end, step).value().size;
  };
  for (const int64_t step : {-3, -1, 1, 3}) {
    EXPECT_EQ(size(3, 3, step), 0);
    EXPECT_EQ(size(0, 0, step), 0);
  }
  EXPECT_EQ(size(4, 1, 1), 0);
  EXPECT_EQ(size(1, 4, -1), 0);
  EXPECT_EQ(size(4, kMax, -1), 0);
  EXPECT_EQ(ResolveAxisSlice(5, kMin, kMin, -1).value().start, -1) << "before the first element";
}

TEST(ResolveAxisSliceTest, RefusesStepsWithoutAnEnd) {
  EXPECT_EQ(ErrorOf(ResolveAxisSlice(5, 0, 5, 0)),
            "its slice has a step of 0, expected another number than 0");
  EXPECT_FALSE(ResolveAxisSlice(5, 0, 5, kMin).ok());
}

TEST(ResolveRangeTest, IsPythonsRange) {
  const auto elements = [](int64_t start, int64_t end, int64_t step) {
    return Elements(ResolveRange(start, end, step).value());
  };
  EXPECT_THAT(elements(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(elements(5, 0, -2), ElementsAre(5, 3, 1));
  EXPECT_THAT(elements(0, 4, 2), ElementsAre(0, 2));
  EXPECT_THAT(elements(7, 8, 3), ElementsAre(7));
  EXPECT_EQ(ResolveRange(5, 0, 1).value().size, 0);
  EXPECT_EQ(ResolveRange(0, 5, -1).value().size, 0);
  EXPECT_EQ(ResolveRange(5, 5, 2).value().size, 0);
}

TEST(ResolveRangeTest, RefusesNumbersThatOverflow) {
  constexpr int64_t kLimit = int64_t{1} << 53;
  EXPECT_EQ(ResolveRange(-kLimit, kLimit, kLimit).value().size, 2);
  EXPECT_EQ(ErrorOf(ResolveRange(0, kLimit + 1, 1)),
            "its range has the number 9007199254740993, expected at most 2^53 in magnitude");
  EXPECT_THAT(ErrorOf(ResolveRange(-kLimit - 1, 0, 1)), HasSubstr("number -9007199254740993"));
  EXPECT_THAT(ErrorOf(ResolveRange(0, 1, kMin)), HasSubstr("number -9223372036854775808"));
  EXPECT_EQ(ErrorOf(ResolveRange(0, 5, 0)), "its range has a step of 0, expected another number");
}

}  // namespace
}  // namespace synap_internal
