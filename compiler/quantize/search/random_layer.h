// Random layers for tests of weight rounding.
#ifndef COMPILER_QUANTIZE_SEARCH_RANDOM_LAYER_H_
#define COMPILER_QUANTIZE_SEARCH_RANDOM_LAYER_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "compiler/quantize/search/matrices.h"
#include "compiler/quantize/search/rounding_errors.h"

namespace synap_internal {

// Between -1 and 1.
inline float Uniform(std::mt19937& random) {
  return static_cast<float>(random()) / static_cast<float>(std::mt19937::max()) * 2 - 1;
}

// Layers of random weights in steps of 1, whose patches have much in common.
struct RandomLayer {
  RandomLayer() = default;
  RandomLayer(int groups, int outputs, int inputs, int rows, uint32_t seed) {
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

  // A layer of one group alone.
  RandomLayer OfGroup(int64_t group) const {
    RandomLayer alone;
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

  SumSamples fit, check;
  WeightIntegers weights;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_RANDOM_LAYER_H_
