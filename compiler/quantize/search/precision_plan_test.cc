#include "compiler/quantize/search/precision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace synap_internal {
namespace {

using testing::ElementsAre;

// Groups of which each makes noise of its own.
PrecisionModel Independent(const std::vector<double>& seconds, const std::vector<double>& noise) {
  PrecisionModel model{seconds, {}, {}};
  for (size_t i = 0; i < noise.size(); ++i) model.sources.push_back({{i}, {noise[i]}});
  return model;
}

// Two groups that only get rid of their noise together, with a conversion between them.
PrecisionModel Neighbours() { return {{1, 1, 1}, {{{0, 1}, 5}}, {{{0, 1}, {9}}, {{2}, {1}}}}; }

TEST(PrecisionPlanTest, NoisesAndTimesAddUp) {
  const PrecisionModel model = Neighbours();
  EXPECT_DOUBLE_EQ(ExtraSeconds(model, {true, false, true}), 7);
  EXPECT_DOUBLE_EQ(ExtraSeconds(model, {true, true, false}), 2);
  EXPECT_DOUBLE_EQ(PlannedNoise(model, {true, false, true}), 9);
  EXPECT_DOUBLE_EQ(PlannedNoise(model, {true, true, false}), 1);
}

TEST(PrecisionPlanTest, NeighboursAreWorthMoreTogether) {
  for (const auto plan : {PlanUp, PlanDown}) {
    EXPECT_THAT(plan(Neighbours(), 2), ElementsAre(true, true, false));
    EXPECT_THAT(plan(Neighbours(), 1.5), ElementsAre(false, false, true));
    EXPECT_THAT(plan(Neighbours(), 3), ElementsAre(true, true, true));
  }
}

TEST(PrecisionPlanTest, ExchangesFillTheTimeBetter) {
  // The first group has the best ratio and leaves no time for both others.
  const PrecisionModel model = Independent({3, 2, 2}, {3.3, 2, 2});
  for (const auto plan : {PlanUp, PlanDown}) {
    EXPECT_THAT(plan(model, 4), ElementsAre(false, true, true));
  }
}

TEST(PrecisionPlanTest, WhatSavesTimeAndNoiseIsTakenWithoutABudget) {
  EXPECT_THAT(PlanUp(Independent({-1, 1, 1}, {1, 9, 0}), 0), ElementsAre(true, true, false));
  EXPECT_THAT(PlanUp(Independent({0, 1}, {1, 9}), 0), ElementsAre(true, false));
}

TEST(PrecisionPlanTest, TheWorstOutputCounts) {
  const PrecisionModel model = {{1, 1}, {}, {{{0}, {5, 0}}, {{1}, {0, 4}}}};
  EXPECT_THAT(PlanUp(model, 1), ElementsAre(true, false));
}

TEST(PrecisionPlanTest, StepsWidenByTheMostNoiseForASecond) {
  EXPECT_THAT(
      WideningSteps(Independent({1, 1, 4, 1}, {1, 3, 4.4, 0})),
      ElementsAre(ElementsAre(false, true, false, false), ElementsAre(false, true, true, false),
                  ElementsAre(true, true, true, false)));
}

TEST(PrecisionPlanTest, OnlySomeNoiseIsLeft) {
  EXPECT_THAT(PlanForNoise(Independent({1, 5, 2}, {1, 1, 3}), 2), ElementsAre(false, false, true));
}

}  // namespace
}  // namespace synap_internal
