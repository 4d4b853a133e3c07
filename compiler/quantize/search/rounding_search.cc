#include "compiler/quantize/search/rounding_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace synap_internal {
namespace {

// Passes over all blocks; a later one finds next to nothing.
constexpr int kPasses = 3;

// One output channel, and the inputs of a block.
class ChannelSearch {
 public:
  // `products`: of the block's inputs with one another, over the rows. `gradient`: of the inputs
  // with what is missing.
  ChannelSearch(const Matrices& products, int64_t group, absl::Span<float> gradient, float damping)
      : products_(products), group_(group), gradient_(gradient), damping_(damping) {}

  // `steps`, `weights`: the block's.
  void Run(absl::Span<const float> weights, float scale, int32_t min, int32_t max,
           absl::Span<int32_t> steps) {
    const size_t inputs = steps.size();
    moves_.assign(inputs, 0);
    costs_.assign(inputs, 0);
    for (size_t k = 0; k < inputs; ++k) Prepare(k, weights[k], scale, min, max, steps[k]);
    // Each move makes the error smaller, so that this ends; the limit is for errors of rounding.
    for (size_t moved = 0; moved < 4 * inputs; ++moved) {
      const size_t best = Best();
      if (best == inputs) return;
      steps[best] += moves_[best] > 0 ? 1 : -1;
      const absl::Span<const float> row = products_.row(group_, static_cast<int64_t>(best));
      for (size_t k = 0; k < inputs; ++k) gradient_[k] -= moves_[best] * row[k];
      Prepare(best, weights[best], scale, min, max, steps[best]);
    }
  }

 private:
  // The step by which weight k may move (0: none) and its cost without the gradient's term.
  void Prepare(size_t k, float weight, float scale, int32_t min, int32_t max, int32_t step) {
    const float exact = weight / scale;
    const float error = static_cast<float>(step) - exact;
    moves_[k] = 0;
    costs_[k] = 0;
    if (error == 0 || !(std::abs(error) < 1)) return;
    const int32_t other = step + (error > 0 ? -1 : 1);
    if (other < min || other > max) return;
    const float move = error > 0 ? -scale : scale;
    const auto i = static_cast<int64_t>(k);
    const float curvature = products_.row(group_, i)[k] + damping_;
    moves_[k] = move;
    costs_[k] = move * (move * curvature + 2 * damping_ * error * scale);
  }

  // The weight whose move makes the error smallest, the first of equals; the number of weights if
  // no move makes it smaller.
  size_t Best() const {
    size_t best = costs_.size();
    float least = 0;
    for (size_t k = 0; k < costs_.size(); ++k) {
      const float change = costs_[k] - 2 * moves_[k] * gradient_[k];
      if (!(change < least)) continue;  // NaN neither, where products are beyond float32
      least = change;
      best = k;
    }
    return best;
  }

  const Matrices& products_;
  const int64_t group_;
  const absl::Span<float> gradient_;
  const float damping_;
  std::vector<float> moves_, costs_;
};

// All output channels.
class RoundingSearch {
 public:
  RoundingSearch(const SumSamples& fit, const SumSamples& check, ThreadPool& pool,
                 WeightIntegers& weights)
      : fit_(fit, pool),
        check_(check, pool),
        checks_(check.patches.rows() > 0),
        pool_(pool),
        weights_(weights) {}

  void Run() {
    const std::vector<int32_t> start = checks_ ? weights_.steps : std::vector<int32_t>();
    const std::vector<WeightBlock> blocks =
        WeightBlocks(weights_.weights, kBlockInputs, kBlockProducts);
    for (const WeightBlock& block : blocks) Subtract(StoredWeights(weights_, block), block);
    const std::vector<double> before = check_.Squares();
    const int passes = weights_.weights.columns() > kBlockInputs ? kPasses : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (const WeightBlock& block : blocks) SearchBlock(block);
    }
    if (checks_) KeepImprovements(before, check_.Squares(), start, weights_);
  }

 private:
  int64_t outputs() const { return weights_.weights.rows(); }

  void Subtract(const Matrices& stored, const WeightBlock& block) {
    fit_.Subtract(stored, block);
    check_.Subtract(stored, block);
  }

  void SearchBlock(const WeightBlock& block) {
    const Matrices patches = fit_.PatchesOf(block);
    const Matrices products = Product(patches.Transposed(), patches, pool_);
    Matrices gradients = Product(fit_.MissingOf(block), patches, pool_);
    const Matrices before = StoredWeights(weights_, block);
    std::vector<float> damping;
    for (int64_t group = 0; group < block.groups; ++group) {
      damping.push_back(Damping(products, group));
    }
    pool_.ParallelFor(block.groups * outputs(), [&](int64_t i, int) {
      const int64_t group = i / outputs(), output = i % outputs();
      const int64_t channel = block.first_group * outputs() + i;
      ChannelSearch search(products, group, gradients.row(group, output),
                           damping[static_cast<size_t>(group)]);
      search.Run(
          weights_.weights.row(block.first_group + group, output)
              .subspan(static_cast<size_t>(block.first_input), static_cast<size_t>(block.inputs)),
          weights_.scales[static_cast<size_t>(channel)], weights_.min, weights_.max,
          StepsOf(weights_, i, block));
    });
    Matrices added = StoredWeights(weights_, block);
    added.Subtract(before);
    Subtract(added, block);
  }

  RoundingErrors fit_, check_;
  const bool checks_;
  ThreadPool& pool_;
  WeightIntegers& weights_;
};

}  // namespace

void SearchRounding(const SumSamples& fit, const SumSamples& check, ThreadPool& pool,
                    WeightIntegers& weights) {
  RoundingSearch(fit, check, pool, weights).Run();
}

}  // namespace synap_internal
