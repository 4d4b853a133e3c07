#include "runtime/vision/detector/average_precision.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(AveragePrecisionTest, AllObjectsFirstIsOne) {
  EXPECT_DOUBLE_EQ(AveragePrecision({{0.2, false}, {0.9, true}, {0.8, true}}, 2), 1);
  EXPECT_EQ(AveragePrecision({}, 2), 0);
}

TEST(AveragePrecisionTest, PrecisionIsThatOfTheSameOrMoreRecall) {
  // One of two at once; the other one after a detection of nothing.
  EXPECT_NEAR(AveragePrecision({{0.9, true}, {0.8, false}, {0.7, true}}, 2),
              (51 + 50 * 2.0 / 3) / 101, 1e-12);
  EXPECT_DOUBLE_EQ(AveragePrecision({{0.9, false}, {0.8, true}}, 1), 0.5);
  EXPECT_DOUBLE_EQ(AveragePrecision({{0.9, true}}, 2), 51.0 / 101);
}

}  // namespace
}  // namespace synap_internal
