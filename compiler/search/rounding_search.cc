#include "compiler/search/rounding_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synap_internal {
namespace {

constexpr float kDamping = 0.01f;
// Passes over all blocks; a later one finds next to nothing.
constexpr int kPasses = 3;

// Weights that are looked at together: of all output channels of some groups, those of some inputs.
struct Block {
  int64_t first_group, groups;
  int64_t first_input, inputs;
};

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

// All output channels. The samples' sums become their remaining errors.
class Search {
 public:
  Search(SumSamples fit, SumSamples check, ThreadPool& pool, WeightIntegers& weights)
      : fit_(std::move(fit)), check_(std::move(check)), pool_(pool), weights_(weights) {}

  void Run() {
    const bool checks = check_.patches.rows() > 0;
    const std::vector<int32_t> start = checks ? weights_.steps : std::vector<int32_t>();
    const std::vector<Block> blocks = Blocks();
    for (const Block& block : blocks) SubtractSums(Stored(block), block);
    const std::vector<double> before = Errors(check_.sums);
    const int passes = inputs() > kBlockInputs ? kPasses : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (const Block& block : blocks) SearchBlock(block);
    }
    if (!checks) return;
    const std::vector<double> after = Errors(check_.sums);
    for (size_t c = 0; c < before.size(); ++c) {
      if (after[c] < before[c]) continue;
      const auto first = static_cast<std::ptrdiff_t>(c) * inputs();
      std::copy_n(start.begin() + first, inputs(), weights_.steps.begin() + first);
    }
  }

 private:
  int64_t groups() const { return weights_.weights.count(); }
  int64_t outputs() const { return weights_.weights.rows(); }
  int64_t inputs() const { return weights_.weights.columns(); }

  // All weights, each in one block.
  std::vector<Block> Blocks() const {
    std::vector<Block> blocks;
    for (int64_t input = 0; input < inputs(); input += kBlockInputs) {
      const int64_t count = std::min(kBlockInputs, inputs() - input);
      const int64_t most_groups = kBlockProducts / (count * count);
      for (int64_t group = 0; group < groups(); group += most_groups) {
        blocks.push_back({group, std::min(most_groups, groups() - group), input, count});
      }
    }
    return blocks;
  }

  absl::Span<int32_t> StepsOf(int64_t channel, const Block& block) {
    return {weights_.steps.data() + channel * inputs() + block.first_input,
            static_cast<size_t>(block.inputs)};
  }

  static Matrices PatchesOf(const SumSamples& samples, const Block& block) {
    return samples.patches.Part(block.first_group, block.groups, block.first_input, block.inputs);
  }

  // The block's steps as real numbers: [block.groups](outputs, block.inputs).
  Matrices Stored(const Block& block) {
    Matrices stored(block.groups, outputs(), block.inputs);
    for (int64_t i = 0; i < block.groups * outputs(); ++i) {
      const int64_t channel = block.first_group * outputs() + i;
      const float scale = weights_.scales[static_cast<size_t>(channel)];
      const absl::Span<const int32_t> steps = StepsOf(channel, block);
      std::transform(steps.begin(), steps.end(), stored.row(i / outputs(), i % outputs()).begin(),
                     [scale](int32_t step) { return static_cast<float>(step) * scale; });
    }
    return stored;
  }

  // Subtracts the products of the block's patches and `stored` from the sums.
  void SubtractSums(const Matrices& stored, const Block& block) {
    for (SumSamples* samples : {&fit_, &check_}) {
      if (samples->patches.rows() == 0) continue;
      const Matrices patches = PatchesOf(*samples, block);
      samples->sums.Subtract(Product(stored, patches.Transposed(), pool_), block.first_group);
    }
  }

  void SearchBlock(const Block& block) {
    const Matrices patches = PatchesOf(fit_, block);
    const Matrices products = Product(patches.Transposed(), patches, pool_);
    const Matrices missing =
        fit_.sums.Part(block.first_group, block.groups, 0, fit_.sums.columns());
    Matrices gradients = Product(missing, patches, pool_);
    const Matrices before = Stored(block);
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
          StepsOf(channel, block));
    });
    Matrices added = Stored(block);
    added.Subtract(before);
    SubtractSums(added, block);
  }

  static float Damping(const Matrices& products, int64_t group) {
    double sum = 0;
    for (int64_t k = 0; k < products.rows(); ++k) {
      sum += static_cast<double>(products.row(group, k)[static_cast<size_t>(k)]);
    }
    return kDamping * static_cast<float>(sum / static_cast<double>(products.rows()));
  }

  // Sums of the squares of each output channel.
  std::vector<double> Errors(const Matrices& missing) const {
    std::vector<double> errors;
    for (int64_t channel = 0; channel < groups() * outputs(); ++channel) {
      double sum = 0;
      for (const float value : missing.row(channel / outputs(), channel % outputs())) {
        sum += static_cast<double>(value) * static_cast<double>(value);
      }
      errors.push_back(sum);
    }
    return errors;
  }

  SumSamples fit_, check_;
  ThreadPool& pool_;
  WeightIntegers& weights_;
};

}  // namespace

void SearchRounding(SumSamples fit, SumSamples check, ThreadPool& pool, WeightIntegers& weights) {
  Search(std::move(fit), std::move(check), pool, weights).Run();
}

}  // namespace synap_internal
