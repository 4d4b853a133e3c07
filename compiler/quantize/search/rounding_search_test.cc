#include "compiler/quantize/search/rounding_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/quantize/search/random_layer.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Searches the layer's rounding.
void Search(RandomLayer& layer, int threads, bool checks = true) {
  ThreadPool pool(threads);
  const SumSamples none;
  SearchRounding(layer.fit, checks ? layer.check : none, pool, layer.weights);
}

// The smallest error of all choices between the integers around the weights.
double LeastError(const RandomLayer& layer) {
  const auto weights = layer.weights.weights.row(0, 0);
  double least = INFINITY;
  for (uint32_t choice = 0; choice < 1u << weights.size(); ++choice) {
    std::vector<float> steps;
    for (size_t i = 0; i < weights.size(); ++i) {
      steps.push_back(std::floor(weights[i]) + static_cast<float>(choice >> i & 1));
    }
    least = std::min(least, RandomLayer::Error(layer.fit, 0, 0, steps));
  }
  return least;
}

TEST(RoundingSearchTest, ComesNearTheBestOfAllChoices) {
  double nearest = 0, found = 0, least = 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    RandomLayer layer(1, 1, 10, 40, seed);
    const double before = RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
    Search(layer, 1, false);
    const double after = RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
    EXPECT_LE(after, before) << "seed " << seed;
    nearest += before;
    found += after;
    least += LeastError(layer);
  }
  // Rounded to the nearest, the error is many times the least one.
  EXPECT_GT(nearest, 5 * least);
  EXPECT_LT(found, 2 * least);
}

TEST(RoundingSearchTest, NoSingleMoveIsLeft) {
  RandomLayer layer(1, 1, 30, 200, 1);
  Search(layer, 1, false);
  std::vector<int32_t> steps = layer.StepsOf(0);
  const double error = RandomLayer::Error(layer.fit, 0, 0, steps);
  const auto weights = layer.weights.weights.row(0, 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    const int32_t kept = steps[i];
    EXPECT_LT(std::abs(static_cast<float>(kept) - weights[i]), 1);
    steps[i] += static_cast<float>(kept) < weights[i] ? 1 : -1;
    // The second term of what is minimized is worth that much at most.
    EXPECT_GT(RandomLayer::Error(layer.fit, 0, 0, steps), 0.99 * error - 4) << "weight " << i;
    steps[i] = kept;
  }
}

TEST(RoundingSearchTest, ErrorsThatCancelEachOtherArePreferred) {
  // Both inputs are always the same: 0.4 + 0.4 is nearer to 1 than to 0.
  RandomLayer layer(1, 1, 2, 1, 0);
  layer.weights.weights.row(0, 0)[0] = 0.4f;
  layer.weights.weights.row(0, 0)[1] = 0.4f;
  layer.weights.steps = {0, 0};
  layer.fit.patches.row(0, 0)[0] = 1;
  layer.fit.patches.row(0, 0)[1] = 1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  Search(layer, 1, false);
  EXPECT_THAT(layer.weights.steps, ElementsAre(1, 0));
}

TEST(RoundingSearchTest, AChannelThatIsWorseWhereItIsCheckedStaysAsItWas) {
  RandomLayer layer(1, 1, 2, 1, 0);
  layer.weights.weights.row(0, 0)[0] = 0.4f;
  layer.weights.weights.row(0, 0)[1] = 0.4f;
  layer.weights.steps = {0, 0};
  for (SumSamples* samples : {&layer.fit, &layer.check}) samples->patches.row(0, 0)[0] = 1;
  layer.fit.patches.row(0, 0)[1] = 1;
  layer.check.patches.row(0, 0)[1] = -1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  layer.check.sums.row(0, 0)[0] = 0;
  Search(layer, 1);
  EXPECT_THAT(layer.weights.steps, ElementsAre(0, 0));
}

TEST(RoundingSearchTest, NoWeightLeavesTheRange) {
  RandomLayer layer(1, 1, 20, 50, 3);
  for (float& weight : layer.weights.weights.row(0, 0)) weight += weight > 0 ? 110.0f : -110.0f;
  for (size_t i = 0; i < 20; ++i) {
    const float weight = layer.weights.weights.row(0, 0)[i];
    layer.weights.steps[i] = static_cast<int32_t>(std::nearbyint(std::fmin(weight, 120)));
  }
  layer.weights.max = 120;
  const std::vector<int32_t> before = layer.weights.steps;
  Search(layer, 1, false);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_LE(layer.weights.steps[i], 120);
    // It saturates: which integers are around it doesn't matter any more.
    if (layer.weights.weights.row(0, 0)[i] >= 121) {
      EXPECT_EQ(layer.weights.steps[i], 120);
    }
  }
  EXPECT_NE(layer.weights.steps, before);
}

TEST(RoundingSearchTest, SumsThatAreNotFiniteMoveNoWeightFurther) {
  for (const float sum : {INFINITY, -INFINITY, NAN}) {
    RandomLayer layer(1, 1, 20, 50, 3);
    layer.weights.weights.row(0, 0)[7] = 3;  // between no two integers
    layer.weights.steps[7] = 3;
    layer.fit.sums.row(0, 0)[5] = sum;
    Search(layer, 1, false);
    for (size_t i = 0; i < 20; ++i) {
      const auto step = static_cast<float>(layer.weights.steps[i]);
      EXPECT_LT(std::abs(step - layer.weights.weights.row(0, 0)[i]), 1) << sum << " weight " << i;
    }
  }
}

TEST(RoundingSearchTest, MoreInputsThanABlockAreSearchedBlockByBlock) {
  RandomLayer layer(1, 1, kBlockInputs + 100, 300, 5);
  const double before = RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
  const double checked = RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0));
  Search(layer, 1);
  EXPECT_LT(RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0)), before / 4);
  EXPECT_LT(RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0)), checked);
}

TEST(RoundingSearchTest, MoreGroupsThanABlockHasAreSearchedAsIfAlone) {
  constexpr int kGroups = kBlockProducts / (kBlockInputs * kBlockInputs) + 1;
  RandomLayer layer(kGroups, 2, kBlockInputs + 100, 8, 11);
  for (size_t c = 0; c < 2 * kGroups; ++c) layer.weights.scales[c] += static_cast<float>(c) / 1024;
  std::vector<RandomLayer> alone;
  for (int64_t group = 0; group < kGroups; ++group) alone.push_back(layer.OfGroup(group));
  Search(layer, 2);
  for (int64_t group = 0; group < kGroups; ++group) {
    RandomLayer& one = alone[static_cast<size_t>(group)];
    const std::vector<int32_t> before = one.weights.steps;
    Search(one, 1);
    EXPECT_NE(one.weights.steps, before) << "group " << group;
    EXPECT_EQ(layer.OfGroup(group).weights.steps, one.weights.steps) << "group " << group;
  }
}

TEST(RoundingSearchTest, ThreadsMakeNoDifference) {
  RandomLayer one(3, 4, 20, 100, 7), three(3, 4, 20, 100, 7);
  const std::vector<int32_t> before = one.weights.steps;
  Search(one, 1);
  Search(three, 3);
  EXPECT_NE(one.weights.steps, before);
  EXPECT_THAT(three.weights.steps, ElementsAreArray(one.weights.steps));
}

}  // namespace
}  // namespace synap_internal
