#include "compiler/quantize/search/second_order_rounding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "compiler/quantize/search/triangular_factor.h"
#include "eigen3/Eigen/Core"

namespace synap_internal {
namespace {

// Output channels that are rounded together. Arithmetic is lane by lane, so that their number
// changes no bit.
constexpr int64_t kLanes = 8;
using Lanes = Eigen::Array<double, kLanes, 1>;

// The inputs of a group, those of the largest mean squares first.
std::vector<int64_t> InputOrder(const Matrices& products, int64_t group) {
  const auto square = [&](int64_t input) {
    return products.row(group, input)[static_cast<size_t>(input)];
  };
  std::vector<int64_t> order(static_cast<size_t>(products.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return square(a) > square(b); });
  return order;
}

// The weights of up to kLanes output channels of a group, at the inputs of a block.
struct Channels {
  std::vector<absl::Span<const float>> weights, gradients;
  std::vector<float> scales;
  std::vector<absl::Span<int32_t>> steps;
};

class FeedbackRounding {
 public:
  FeedbackRounding(const TriangularFactor& factor, const std::vector<int64_t>& order, int32_t min,
                   int32_t max)
      : factor_(factor), order_(order), min_(min), max_(max) {}

  void Run(const Channels& channels) const {
    std::vector<Lanes> missing = Missing(channels);
    std::vector<Lanes> errors(missing.size());
    for (int64_t i = 0; i < factor_.size(); ++i) {
      const absl::Span<const double> column = factor_.column(i);
      Lanes left = missing[static_cast<size_t>(i)];
      for (size_t j = 0; j < static_cast<size_t>(i); ++j) left -= errors[j] * column[j];
      left /= factor_.diagonal(i);
      errors[static_cast<size_t>(i)] = Round(channels, i, left);
    }
  }

 private:
  // z of M z = gradients.
  std::vector<Lanes> Missing(const Channels& channels) const {
    std::vector<Lanes> missing(order_.size(), Lanes::Zero());
    for (size_t i = 0; i < order_.size(); ++i) {
      for (size_t c = 0; c < channels.gradients.size(); ++c) {
        missing[i][static_cast<Eigen::Index>(c)] =
            static_cast<double>(channels.gradients[c][static_cast<size_t>(order_[i])]);
      }
    }
    for (int64_t i = factor_.size() - 1; i >= 0; --i) {
      const absl::Span<const double> column = factor_.column(i);
      Lanes& solved = missing[static_cast<size_t>(i)];
      solved /= factor_.diagonal(i);
      for (size_t j = 0; j < static_cast<size_t>(i); ++j) missing[j] -= solved * column[j];
    }
    return missing;
  }

  // Rounds the i-th weights moved by `moved`, and returns their errors.
  Lanes Round(const Channels& channels, int64_t i, const Lanes& moved) const {
    const auto input = static_cast<size_t>(order_[static_cast<size_t>(i)]);
    Lanes errors = Lanes::Zero();
    for (size_t c = 0; c < channels.steps.size(); ++c) {
      const auto weight = static_cast<double>(channels.weights[c][input]);
      const double best = weight + moved[static_cast<Eigen::Index>(c)];
      // Samples beyond float32 say nothing about the weight.
      const double wanted = (std::isfinite(best) ? best : weight) / channels.scales[c];
      const double step = std::clamp<double>(std::nearbyint(wanted), min_, max_);
      channels.steps[c][input] = static_cast<int32_t>(step);
      errors[static_cast<Eigen::Index>(c)] =
          static_cast<double>(static_cast<float>(step) * channels.scales[c]) - weight;
    }
    return errors;
  }

  const TriangularFactor& factor_;
  const std::vector<int64_t>& order_;
  const int32_t min_, max_;
};

class SecondOrderRounding {
 public:
  SecondOrderRounding(const SumSamples& fit, ThreadPool& pool, WeightIntegers& weights)
      : missing_(fit, pool), pool_(pool), weights_(weights) {}

  void Run() {
    const std::vector<WeightBlock> blocks =
        WeightBlocks(weights_.weights, kCovarianceInputs, kCovarianceInputs * kCovarianceInputs);
    for (const WeightBlock& block : blocks) missing_.Subtract(RealWeights(block), block);
    for (const WeightBlock& block : blocks) RoundBlock(block);
  }

 private:
  Matrices RealWeights(const WeightBlock& block) const {
    return weights_.weights.Part(block.first_group, block.groups, block.first_input, block.inputs);
  }

  void RoundBlock(const WeightBlock& block) {
    const Matrices patches = missing_.PatchesOf(block);
    const Matrices products = Product(patches.Transposed(), patches, pool_);
    const Matrices gradients = Product(missing_.MissingOf(block), patches, pool_);
    for (int64_t group = 0; group < block.groups; ++group) {
      RoundGroup(block, group, products, gradients);
    }
    Matrices added = StoredWeights(weights_, block);
    added.Subtract(RealWeights(block));
    missing_.Subtract(added, block);
  }

  // `group` counts from the block's first one.
  void RoundGroup(const WeightBlock& block, int64_t group, const Matrices& products,
                  const Matrices& gradients) {
    const std::vector<int64_t> order = InputOrder(products, group);
    TriangularFactor factor(block.inputs);
    const auto damping = static_cast<double>(Damping(products, group));
    for (size_t j = 0; j < order.size(); ++j) {
      const absl::Span<double> column = factor.column(static_cast<int64_t>(j));
      const absl::Span<const float> row = products.row(group, order[j]);
      for (size_t i = 0; i <= j; ++i)
        column[i] = static_cast<double>(row[static_cast<size_t>(order[i])]);
      column[j] += damping;
    }
    // Inputs that are always 0, or beyond float32: nothing to choose by.
    if (!factor.Factor(pool_)) return;
    const FeedbackRounding rounding(factor, order, weights_.min, weights_.max);
    const int64_t outputs = weights_.weights.rows();
    pool_.ParallelFor((outputs + kLanes - 1) / kLanes, [&](int64_t task, int) {
      const int64_t first = task * kLanes;
      rounding.Run(ChannelsOf(block, group, first, std::min(kLanes, outputs - first), gradients));
    });
  }

  Channels ChannelsOf(const WeightBlock& block, int64_t group, int64_t first, int64_t count,
                      const Matrices& gradients) {
    Channels channels;
    const int64_t outputs = weights_.weights.rows();
    for (int64_t output = first; output < first + count; ++output) {
      channels.weights.push_back(
          weights_.weights.row(block.first_group + group, output)
              .subspan(static_cast<size_t>(block.first_input), static_cast<size_t>(block.inputs)));
      channels.gradients.push_back(gradients.row(group, output));
      channels.scales.push_back(
          weights_.scales[static_cast<size_t>((block.first_group + group) * outputs + output)]);
      channels.steps.push_back(StepsOf(weights_, group * outputs + output, block));
    }
    return channels;
  }

  RoundingErrors missing_;
  ThreadPool& pool_;
  WeightIntegers& weights_;
};

}  // namespace

void RoundBySecondOrder(const SumSamples& fit, const SumSamples& check, ThreadPool& pool,
                        WeightIntegers& weights) {
  const bool checks = check.patches.rows() > 0;
  const std::vector<int32_t> start = checks ? weights.steps : std::vector<int32_t>();
  const std::vector<double> before =
      checks ? SquaredErrors(check, weights, pool) : std::vector<double>();
  SecondOrderRounding(fit, pool, weights).Run();
  if (checks) KeepImprovements(before, SquaredErrors(check, weights, pool), start, weights);
}

}  // namespace synap_internal
