#include "compiler/quantize/search/precision_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using testing::ElementsAre;

TEST(PrecisionOrderTest, MostNoiseForASecondComesFirst) {
  const LayerTrial trials[] = {{"a", 1, 10}, {"b", 3, 10}, {"c", 1, 2}};
  EXPECT_THAT(OrderOfGain(trials), ElementsAre(2, 1, 0));
}

TEST(PrecisionOrderTest, WhatCostsNothingComesFirst) {
  const LayerTrial trials[] = {{"a", 9, 1e-9}, {"b", 1, 0}, {"c", 2, -1}};
  EXPECT_THAT(OrderOfGain(trials), ElementsAre(2, 1, 0));
}

TEST(PrecisionOrderTest, WhatGainsNothingIsLeftOut) {
  const LayerTrial trials[] = {{"a", 0, 1}, {"b", 1, 1}, {"c", -1, -1}};
  EXPECT_THAT(OrderOfGain(trials), ElementsAre(1));
}

TEST(PrecisionOrderTest, EqualOnesComeByName) {
  const LayerTrial trials[] = {{"b", 1, 1}, {"c", 1, 1}, {"a", 1, 1}};
  EXPECT_THAT(OrderOfGain(trials), ElementsAre(2, 0, 1));
}

TEST(PrecisionOrderTest, TheBestPointIsTheFastestOfTheMostExact) {
  const CurvePoint curve[] = {{0, 1, 20}, {1, 1.2, 31}, {2, 1.1, 31}, {3, 1.3, 30}};
  EXPECT_EQ(BestPoint(curve), 2u);
}

}  // namespace
}  // namespace synap_internal
