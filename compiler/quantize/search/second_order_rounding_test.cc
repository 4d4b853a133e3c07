#include "compiler/quantize/search/second_order_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "compiler/quantize/search/random_layer.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using Table = std::vector<std::vector<double>>;

void Round(RandomLayer& layer, int threads, bool checks = true) {
  ThreadPool pool(threads);
  const SumSamples none;
  RoundBySecondOrder(layer.fit, checks ? layer.check : none, pool, layer.weights);
}

std::vector<int32_t> Nearest(const RandomLayer& layer, int64_t output) {
  std::vector<int32_t> steps;
  for (const float weight : layer.weights.weights.row(0, output)) {
    steps.push_back(static_cast<int32_t>(std::nearbyint(weight)));
  }
  return steps;
}

// 2 X^T X over the patches of group 0 and 1/100 of its mean diagonal element, as in GPTQ's code.
Table Hessian(const RandomLayer& layer) {
  const Matrices& patches = layer.fit.patches;
  const auto size = static_cast<size_t>(patches.columns());
  Table h(size, std::vector<double>(size));
  for (int64_t r = 0; r < patches.rows(); ++r) {
    const auto x = patches.row(0, r);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        h[i][j] += 2 * static_cast<double>(x[i]) * static_cast<double>(x[j]);
      }
    }
  }
  double trace = 0;
  for (size_t i = 0; i < size; ++i) trace += h[i][i];
  for (size_t i = 0; i < size; ++i) h[i][i] += 0.01 * trace / static_cast<double>(size);
  return h;
}

// By Gauss and Jordan.
Table Inverse(Table a) {
  const size_t size = a.size();
  Table inverse(size, std::vector<double>(size));
  for (size_t i = 0; i < size; ++i) inverse[i][i] = 1;
  for (size_t i = 0; i < size; ++i) {
    const double pivot = a[i][i];
    for (size_t k = 0; k < size; ++k) {
      a[i][k] /= pivot;
      inverse[i][k] /= pivot;
    }
    for (size_t j = 0; j < size; ++j) {
      const double factor = a[j][i];
      if (j == i) continue;
      for (size_t k = 0; k < size; ++k) {
        a[j][k] -= factor * a[i][k];
        inverse[j][k] -= factor * inverse[i][k];
      }
    }
  }
  return inverse;
}

// Steps of channel 0 as the paper on OBQ has them: what is left of the inverse after each input
// that was rounded tells how the others make up for its error (arXiv:2208.11580, equations 4 and
// 8).
std::vector<int32_t> PlainSteps(const RandomLayer& layer) {
  const Table h = Hessian(layer);
  const size_t size = h.size();
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return h[a][a] > h[b][b]; });
  Table inverse = Inverse(h);
  const auto real = layer.weights.weights.row(0, 0);
  std::vector<double> weights(real.begin(), real.end());
  std::vector<int32_t> steps(size);
  for (const size_t i : order) {
    steps[i] = static_cast<int32_t>(std::nearbyint(weights[i]));
    const double error = (weights[i] - steps[i]) / inverse[i][i];
    const std::vector<double> row = inverse[i];
    for (size_t j = 0; j < size; ++j) {
      weights[j] -= error * row[j];
      for (size_t k = 0; k < size; ++k) inverse[j][k] -= row[j] * row[k] / row[i];
    }
  }
  return steps;
}

TEST(SecondOrderRoundingTest, CorrelatedInputsDoStrictlyBetterThanTheNearest) {
  double nearest = 0, rounded = 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    RandomLayer layer(1, 1, 30, 200, seed);
    const double before = RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
    Round(layer, 1, false);
    nearest += before;
    rounded += RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
  }
  EXPECT_LT(rounded, nearest / 4);
}

TEST(SecondOrderRoundingTest, IsTheNearestForUncorrelatedInputs) {
  // Each row of the patches has one input alone.
  RandomLayer layer(1, 4, 20, 20, 1);
  for (int64_t r = 0; r < 20; ++r) {
    const auto patch = layer.fit.patches.row(0, r);
    std::fill(patch.begin(), patch.end(), 0.0f);
    patch[static_cast<size_t>(r)] = 1 + static_cast<float>(r * 7 % 20);
    for (int64_t o = 0; o < 4; ++o) {
      layer.fit.sums.row(0, o)[static_cast<size_t>(r)] =
          patch[static_cast<size_t>(r)] * layer.weights.weights.row(0, o)[static_cast<size_t>(r)];
    }
  }
  for (int32_t& step : layer.weights.steps) step += 3;
  Round(layer, 1, false);
  for (int64_t o = 0; o < 4; ++o) EXPECT_EQ(layer.StepsOf(o), Nearest(layer, o));
}

TEST(SecondOrderRoundingTest, RoundsAsOneInputAfterTheOtherByTheInverseHessian) {
  int moved = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    RandomLayer layer(1, 1, 24, 100, seed);
    const std::vector<int32_t> expected = PlainSteps(layer);
    Round(layer, 1, false);
    EXPECT_EQ(layer.StepsOf(0), expected) << "seed " << seed;
    moved += expected == Nearest(layer, 0) ? 0 : 1;
  }
  EXPECT_GT(moved, 10);
}

TEST(SecondOrderRoundingTest, ErrorsAreMadeUpForByTheNextInput) {
  // Both inputs are always the same: 0.4 + 0.4 is nearer to 1 than to 0.
  RandomLayer layer(1, 1, 2, 1, 0);
  for (float& weight : layer.weights.weights.row(0, 0)) weight = 0.4f;
  for (float& x : layer.fit.patches.row(0, 0)) x = 1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  Round(layer, 1, false);
  EXPECT_THAT(layer.weights.steps, ElementsAre(0, 1));
}

TEST(SecondOrderRoundingTest, WeightsMoveToWhatQuantizedOperandsNeed) {
  // The operands came out a tenth too small: the weights grow by as much, by more than a step.
  RandomLayer layer(1, 1, 20, 200, 4);
  for (SumSamples* samples : {&layer.fit, &layer.check}) {
    for (int64_t r = 0; r < 200; ++r) {
      for (float& x : samples->patches.row(0, r)) x *= 0.9f;
    }
  }
  const double before = RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0));
  Round(layer, 1);
  EXPECT_LT(RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0)), before / 10);
  float most = 0;
  for (size_t i = 0; i < 20; ++i) {
    const auto step = static_cast<float>(layer.weights.steps[i]);
    most = std::max(most, std::abs(step - layer.weights.weights.row(0, 0)[i]));
  }
  EXPECT_GT(most, 1);
}

TEST(SecondOrderRoundingTest, AChannelThatIsWorseWhereItIsCheckedStaysAsItWas) {
  RandomLayer layer(1, 1, 2, 1, 0);
  for (float& weight : layer.weights.weights.row(0, 0)) weight = 0.4f;
  layer.weights.steps = {0, 0};
  for (SumSamples* samples : {&layer.fit, &layer.check}) samples->patches.row(0, 0)[0] = 1;
  layer.fit.patches.row(0, 0)[1] = 1;
  layer.check.patches.row(0, 0)[1] = -1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  layer.check.sums.row(0, 0)[0] = 0;
  Round(layer, 1);
  EXPECT_THAT(layer.weights.steps, ElementsAre(0, 0));
}

TEST(SecondOrderRoundingTest, NoWeightLeavesTheRange) {
  RandomLayer layer(1, 1, 20, 50, 3);
  layer.weights.min = -5;
  layer.weights.max = 6;
  Round(layer, 1, false);
  const auto [least, most] =
      std::minmax_element(layer.weights.steps.begin(), layer.weights.steps.end());
  EXPECT_EQ(*least, -5);
  EXPECT_EQ(*most, 6);
}

TEST(SecondOrderRoundingTest, WithoutAnythingToChooseByWeightsStay) {
  for (const float x : {0.0f, INFINITY, NAN}) {
    RandomLayer layer(1, 2, 5, 10, 3);
    for (int64_t r = 0; r < 10; ++r) {
      for (float& value : layer.fit.patches.row(0, r)) value = x;
    }
    for (int32_t& step : layer.weights.steps) ++step;
    const std::vector<int32_t> before = layer.weights.steps;
    Round(layer, 1, false);
    EXPECT_EQ(layer.weights.steps, before) << x;
  }
}

TEST(SecondOrderRoundingTest, SumsThatAreNotFiniteMoveNoWeight) {
  for (const float sum : {INFINITY, -INFINITY, NAN}) {
    RandomLayer layer(1, 1, 20, 50, 3);
    layer.fit.sums.row(0, 0)[5] = sum;
    Round(layer, 1, false);
    EXPECT_EQ(layer.StepsOf(0), Nearest(layer, 0)) << sum;
  }
}

TEST(SecondOrderRoundingTest, MoreInputsThanABlockAreRoundedBlockByBlock) {
  RandomLayer layer(1, 1, kCovarianceInputs + 100, 300, 5);
  const double before = RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0));
  const double checked = RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0));
  Round(layer, 2);
  EXPECT_LT(RandomLayer::Error(layer.fit, 0, 0, layer.StepsOf(0)), before / 4);
  EXPECT_LT(RandomLayer::Error(layer.check, 0, 0, layer.StepsOf(0)), checked);
}

TEST(SecondOrderRoundingTest, ChannelsAndGroupsAreRoundedAsIfAlone) {
  RandomLayer layer(3, 11, 40, 60, 11);
  for (size_t c = 0; c < 33; ++c) layer.weights.scales[c] += static_cast<float>(c) / 64;
  std::vector<RandomLayer> alone;
  for (int64_t group = 0; group < 3; ++group) alone.push_back(layer.OfGroup(group));
  Round(layer, 2);
  for (int64_t group = 0; group < 3; ++group) {
    RandomLayer& one = alone[static_cast<size_t>(group)];
    const std::vector<int32_t> before = one.weights.steps;
    Round(one, 1);
    EXPECT_NE(one.weights.steps, before) << "group " << group;
    EXPECT_EQ(layer.OfGroup(group).weights.steps, one.weights.steps) << "group " << group;
  }
}

}  // namespace
}  // namespace synap_internal
