#include "compiler/quantize/statistics/observed_range.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// Around the widths of vectors, and two of them.
const std::vector<size_t> kCounts = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};

TEST(ObservedRangeTest, FindsTheEndsWhereverTheyAre) {
  for (const size_t count : kCounts) {
    for (size_t at = 0; at < count; ++at) {
      std::vector<float> values(count, 2.0f);
      values[at] = -5;
      EXPECT_EQ(ObservedRange(values), (ValueRange{-5, count == 1 ? -5.0f : 2.0f})) << count;
      values[at] = 7;
      EXPECT_EQ(ObservedRange(values), (ValueRange{count == 1 ? 7.0f : 2.0f, 7})) << count;
    }
  }
}

TEST(ObservedRangeTest, ZerosArePositive) {
  for (const size_t count : kCounts) {
    std::vector<float> values(count, -0.0f);
    values.back() = 0;
    EXPECT_FALSE(std::signbit(ObservedRange(values).min)) << count;
    EXPECT_FALSE(std::signbit(ObservedRange(values).max)) << count;
  }
}

TEST(ObservedRangeTest, WhatIsNotFiniteIsFound) {
  for (const float odd : {NAN, INFINITY, -std::numeric_limits<float>::infinity()}) {
    for (const size_t count : kCounts) {
      for (size_t at = 0; at < count; ++at) {
        std::vector<float> values(count, 1.0f);
        values[at] = odd;
        EXPECT_TRUE(std::isnan(ObservedRange(values).min))
            << odd << " at " << at << " of " << count;
      }
    }
  }
}

}  // namespace
}  // namespace synap_internal
