#include "compiler/search/rounding_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Between -1 and 1.
float Uniform(std::mt19937& random) {
  return static_cast<float>(random()) / static_cast<float>(std::mt19937::max()) * 2 - 1;
}

// Layers of random weights in steps of 1, whose patches have much in common.
struct Layer {
  Layer() = default;
  Layer(int groups, int outputs, int inputs, int rows, uint32_t seed) {
    std::mt19937 random(seed);
    weights.weights = Matrices(groups, outputs, inputs);
    weights.scales.assign(static_cast<size_t>(groups * outputs), 1);
    weights.min = -128;
    weights.max = 127;
    for (SumSamples* samples : {&fit, &check}) {
      samples->patches = Matrices(groups, rows, inputs);
      samples->sums = Matrices(groups, outputs, rows);
    }
    for (int g = 0; g < groups; ++g) {
      for (int o = 0; o < outputs; ++o) {
        for (float& weight : weights.weights.row(g, o)) {
          weight = 20 * Uniform(random);
          weights.steps.push_back(static_cast<int32_t>(std::nearbyint(weight)));
        }
      }
      for (SumSamples* samples : {&fit, &check}) Fill(g, random, *samples);
    }
  }

  void Fill(int g, std::mt19937& random, SumSamples& samples) const {
    for (int64_t r = 0; r < samples.patches.rows(); ++r) {
      const float common = 1 + Uniform(random);
      for (float& x : samples.patches.row(g, r)) x = common + 0.5f * Uniform(random);
      for (int64_t o = 0; o < samples.sums.rows(); ++o) {
        samples.sums.row(g, o)[static_cast<size_t>(r)] =
            static_cast<float>(Sum(samples, g, r, weights.weights.row(g, o)));
      }
    }
  }

  template <typename Weights>
  static double Sum(const SumSamples& samples, int64_t g, int64_t r, const Weights& by) {
    const auto patch = samples.patches.row(g, r);
    double sum = 0;
    for (size_t i = 0; i < patch.size(); ++i) {
      sum += static_cast<double>(patch[i]) * static_cast<double>(by[i]);
    }
    return sum;
  }

  // Squared error of channel `o` of group `g`.
  template <typename Weights>
  static double Error(const SumSamples& samples, int64_t g, int64_t o, const Weights& by) {
    double error = 0;
    for (int64_t r = 0; r < samples.patches.rows(); ++r) {
      const double off = Sum(samples, g, r, by) -
                         static_cast<double>(samples.sums.row(g, o)[static_cast<size_t>(r)]);
      error += off * off;
    }
    return error;
  }

  std::vector<int32_t> StepsOf(int64_t channel) const {
    const auto inputs = static_cast<size_t>(weights.weights.columns());
    const auto first = weights.steps.begin() + static_cast<std::ptrdiff_t>(channel * inputs);
    return {first, first + static_cast<std::ptrdiff_t>(inputs)};
  }

  static Matrices Copy(const Matrices& all, int64_t first, int64_t count) {
    return all.Part(first, count, 0, all.columns());
  }
  // Of groups [first, first + count).
  static SumSamples Copy(const SumSamples& samples, int64_t first, int64_t count) {
    return {Copy(samples.patches, first, count), Copy(samples.sums, first, count)};
  }
  static SumSamples Copy(const SumSamples& samples) {
    return Copy(samples, 0, samples.patches.count());
  }

  // A layer of one group alone.
  Layer OfGroup(int64_t group) const {
    Layer alone;
    alone.fit = Copy(fit, group, 1);
    alone.check = Copy(check, group, 1);
    alone.weights.weights = Copy(weights.weights, group, 1);
    alone.weights.min = weights.min;
    alone.weights.max = weights.max;
    const int64_t outputs = weights.weights.rows();
    for (int64_t channel = group * outputs; channel < (group + 1) * outputs; ++channel) {
      alone.weights.scales.push_back(weights.scales[static_cast<size_t>(channel)]);
      const std::vector<int32_t> steps = StepsOf(channel);
      alone.weights.steps.insert(alone.weights.steps.end(), steps.begin(), steps.end());
    }
    return alone;
  }

  void Search(int threads, bool checks = true) {
    ThreadPool pool(threads);
    SearchRounding(Copy(fit), checks ? Copy(check) : SumSamples{}, pool, weights);
  }

  SumSamples fit, check;
  WeightIntegers weights;
};

// The smallest error of all choices between the integers around the weights.
double LeastError(const Layer& layer) {
  const auto weights = layer.weights.weights.row(0, 0);
  double least = INFINITY;
  for (uint32_t choice = 0; choice < 1u << weights.size(); ++choice) {
    std::vector<float> steps;
    for (size_t i = 0; i < weights.size(); ++i) {
      steps.push_back(std::floor(weights[i]) + static_cast<float>(choice >> i & 1));
    }
    least = std::min(least, Layer::Error(layer.fit, 0, 0, steps));
  }
  return least;
}

TEST(RoundingSearchTest, ComesNearTheBestOfAllChoices) {
  double nearest = 0, found = 0, least = 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Layer layer(1, 1, 10, 40, seed);
    const double before = Layer::Error(layer.fit, 0, 0, layer.StepsOf(0));
    layer.Search(1, false);
    const double after = Layer::Error(layer.fit, 0, 0, layer.StepsOf(0));
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
  Layer layer(1, 1, 30, 200, 1);
  layer.Search(1, false);
  std::vector<int32_t> steps = layer.StepsOf(0);
  const double error = Layer::Error(layer.fit, 0, 0, steps);
  const auto weights = layer.weights.weights.row(0, 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    const int32_t kept = steps[i];
    EXPECT_LT(std::abs(static_cast<float>(kept) - weights[i]), 1);
    steps[i] += static_cast<float>(kept) < weights[i] ? 1 : -1;
    // The second term of what is minimized is worth that much at most.
    EXPECT_GT(Layer::Error(layer.fit, 0, 0, steps), 0.99 * error - 4) << "weight " << i;
    steps[i] = kept;
  }
}

TEST(RoundingSearchTest, ErrorsThatCancelEachOtherArePreferred) {
  // Both inputs are always the same: 0.4 + 0.4 is nearer to 1 than to 0.
  Layer layer(1, 1, 2, 1, 0);
  layer.weights.weights.row(0, 0)[0] = 0.4f;
  layer.weights.weights.row(0, 0)[1] = 0.4f;
  layer.weights.steps = {0, 0};
  layer.fit.patches.row(0, 0)[0] = 1;
  layer.fit.patches.row(0, 0)[1] = 1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  layer.Search(1, false);
  EXPECT_THAT(layer.weights.steps, ElementsAre(1, 0));
}

TEST(RoundingSearchTest, AChannelThatIsWorseWhereItIsCheckedStaysAsItWas) {
  Layer layer(1, 1, 2, 1, 0);
  layer.weights.weights.row(0, 0)[0] = 0.4f;
  layer.weights.weights.row(0, 0)[1] = 0.4f;
  layer.weights.steps = {0, 0};
  for (SumSamples* samples : {&layer.fit, &layer.check}) samples->patches.row(0, 0)[0] = 1;
  layer.fit.patches.row(0, 0)[1] = 1;
  layer.check.patches.row(0, 0)[1] = -1;
  layer.fit.sums.row(0, 0)[0] = 0.8f;
  layer.check.sums.row(0, 0)[0] = 0;
  layer.Search(1);
  EXPECT_THAT(layer.weights.steps, ElementsAre(0, 0));
}

TEST(RoundingSearchTest, NoWeightLeavesTheRange) {
  Layer layer(1, 1, 20, 50, 3);
  for (float& weight : layer.weights.weights.row(0, 0)) weight += weight > 0 ? 110.0f : -110.0f;
  for (size_t i = 0; i < 20; ++i) {
    const float weight = layer.weights.weights.row(0, 0)[i];
    layer.weights.steps[i] = static_cast<int32_t>(std::nearbyint(std::fmin(weight, 120)));
  }
  layer.weights.max = 120;
  const std::vector<int32_t> before = layer.weights.steps;
  layer.Search(1, false);
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
    Layer layer(1, 1, 20, 50, 3);
    layer.weights.weights.row(0, 0)[7] = 3;  // between no two integers
    layer.weights.steps[7] = 3;
    layer.fit.sums.row(0, 0)[5] = sum;
    layer.Search(1, false);
    for (size_t i = 0; i < 20; ++i) {
      const auto step = static_cast<float>(layer.weights.steps[i]);
      EXPECT_LT(std::abs(step - layer.weights.weights.row(0, 0)[i]), 1) << sum << " weight " << i;
    }
  }
}

TEST(RoundingSearchTest, MoreInputsThanABlockAreSearchedBlockByBlock) {
  Layer layer(1, 1, kBlockInputs + 100, 300, 5);
  const double before = Layer::Error(layer.fit, 0, 0, layer.StepsOf(0));
  const double checked = Layer::Error(layer.check, 0, 0, layer.StepsOf(0));
  layer.Search(1);
  EXPECT_LT(Layer::Error(layer.fit, 0, 0, layer.StepsOf(0)), before / 4);
  EXPECT_LT(Layer::Error(layer.check, 0, 0, layer.StepsOf(0)), checked);
}

TEST(RoundingSearchTest, MoreGroupsThanABlockHasAreSearchedAsIfAlone) {
  constexpr int kGroups = kBlockProducts / (kBlockInputs * kBlockInputs) + 1;
  Layer layer(kGroups, 2, kBlockInputs + 100, 8, 11);
  for (size_t c = 0; c < 2 * kGroups; ++c) layer.weights.scales[c] += static_cast<float>(c) / 1024;
  std::vector<Layer> alone;
  for (int64_t group = 0; group < kGroups; ++group) alone.push_back(layer.OfGroup(group));
  layer.Search(2);
  for (int64_t group = 0; group < kGroups; ++group) {
    Layer& one = alone[static_cast<size_t>(group)];
    const std::vector<int32_t> before = one.weights.steps;
    one.Search(1);
    EXPECT_NE(one.weights.steps, before) << "group " << group;
    EXPECT_EQ(layer.OfGroup(group).weights.steps, one.weights.steps) << "group " << group;
  }
}

TEST(RoundingSearchTest, ThreadsMakeNoDifference) {
  Layer one(3, 4, 20, 100, 7), three(3, 4, 20, 100, 7);
  const std::vector<int32_t> before = one.weights.steps;
  one.Search(1);
  three.Search(3);
  EXPECT_NE(one.weights.steps, before);
  EXPECT_THAT(three.weights.steps, ElementsAreArray(one.weights.steps));
}

}  // namespace
}  // namespace synap_internal
