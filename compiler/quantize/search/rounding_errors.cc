#include "compiler/quantize/search/rounding_errors.h"

#include <algorithm>
#include <cstddef>

namespace synap_internal {
namespace {

// Products of patches and weights are made of so many inputs at a time, to bound the memory of
// transposed patches.
constexpr int64_t kProductInputs = 1024;
constexpr int64_t kProductElements = int64_t{1} << 24;

}  // namespace

std::vector<WeightBlock> WeightBlocks(const Matrices& weights, int64_t most_inputs,
                                      int64_t most_products) {
  std::vector<WeightBlock> blocks;
  for (int64_t input = 0; input < weights.columns(); input += most_inputs) {
    const int64_t count = std::min(most_inputs, weights.columns() - input);
    const int64_t most_groups = std::max<int64_t>(1, most_products / (count * count));
    for (int64_t group = 0; group < weights.count(); group += most_groups) {
      blocks.push_back({group, std::min(most_groups, weights.count() - group), input, count});
    }
  }
  return blocks;
}

absl::Span<int32_t> StepsOf(WeightIntegers& weights, int64_t channel, const WeightBlock& block) {
  const int64_t row = block.first_group * weights.weights.rows() + channel;
  return {weights.steps.data() + row * weights.weights.columns() + block.first_input,
          static_cast<size_t>(block.inputs)};
}

Matrices StoredWeights(const WeightIntegers& weights, const WeightBlock& block) {
  const int64_t outputs = weights.weights.rows();
  Matrices stored = Matrices::Uninitialized(block.groups, outputs, block.inputs);
  for (int64_t i = 0; i < block.groups * outputs; ++i) {
    const int64_t channel = block.first_group * outputs + i;
    const float scale = weights.scales[static_cast<size_t>(channel)];
    const int32_t* steps =
        weights.steps.data() + channel * weights.weights.columns() + block.first_input;
    std::transform(steps, steps + block.inputs, stored.row(i / outputs, i % outputs).begin(),
                   [scale](int32_t step) { return static_cast<float>(step) * scale; });
  }
  return stored;
}

RoundingErrors::RoundingErrors(const SumSamples& samples, ThreadPool& pool)
    : samples_(samples),
      pool_(pool),
      missing_(samples.sums.Part(0, samples.sums.count(), 0, samples.sums.columns())) {}

void RoundingErrors::Subtract(const Matrices& weights, const WeightBlock& block) {
  if (samples_.patches.rows() == 0) return;
  missing_.Subtract(Product(weights, PatchesOf(block).Transposed(), pool_), block.first_group);
}

Matrices RoundingErrors::PatchesOf(const WeightBlock& block) const {
  return samples_.patches.Part(block.first_group, block.groups, block.first_input, block.inputs);
}

Matrices RoundingErrors::MissingOf(const WeightBlock& block) const {
  return missing_.Part(block.first_group, block.groups, 0, missing_.columns());
}

std::vector<double> RoundingErrors::Squares() const {
  std::vector<double> errors;
  for (int64_t channel = 0; channel < missing_.count() * missing_.rows(); ++channel) {
    double sum = 0;
    for (const float value : missing_.row(channel / missing_.rows(), channel % missing_.rows())) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    errors.push_back(sum);
  }
  return errors;
}

float Damping(const Matrices& products, int64_t group) {
  constexpr float kDamping = 0.01f;
  double sum = 0;
  for (int64_t k = 0; k < products.rows(); ++k) {
    sum += static_cast<double>(products.row(group, k)[static_cast<size_t>(k)]);
  }
  return kDamping * static_cast<float>(sum / static_cast<double>(products.rows()));
}

std::vector<double> SquaredErrors(const SumSamples& samples, const WeightIntegers& weights,
                                  ThreadPool& pool) {
  RoundingErrors errors(samples, pool);
  for (const WeightBlock& block : WeightBlocks(weights.weights, kProductInputs, kProductElements)) {
    errors.Subtract(StoredWeights(weights, block), block);
  }
  return errors.Squares();
}

void KeepImprovements(const std::vector<double>& before, const std::vector<double>& errors,
                      const std::vector<int32_t>& start, WeightIntegers& weights) {
  const int64_t inputs = weights.weights.columns();
  for (size_t c = 0; c < before.size(); ++c) {
    if (errors[c] < before[c]) continue;
    const auto first = static_cast<std::ptrdiff_t>(c) * inputs;
    std::copy_n(start.begin() + first, inputs, weights.steps.begin() + first);
  }
}

}  // namespace synap_internal
