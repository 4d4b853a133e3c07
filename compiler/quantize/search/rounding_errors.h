// Errors of a layer's sums while its integer weights are chosen.
#ifndef COMPILER_QUANTIZE_SEARCH_ROUNDING_ERRORS_H_
#define COMPILER_QUANTIZE_SEARCH_ROUNDING_ERRORS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/thread_pool.h"
#include "compiler/quantize/search/matrices.h"

namespace synap_internal {

// Patches of a layer at some positions, and the sums that it should give there.
struct SumSamples {
  Matrices patches;  // [groups](rows, inputs)
  Matrices sums;     // [groups](outputs, rows)
};

// Weights of output channels, those of group 0 first.
struct WeightIntegers {
  Matrices weights;            // [groups](outputs, inputs), the real ones
  std::vector<float> scales;   // of each output channel
  std::vector<int32_t> steps;  // [channels, inputs] as weights: integers minus the zero point
  int32_t min = 0, max = 0;    // limits of the steps
};

// Weights that are looked at together: of all output channels of some groups, those of some inputs.
struct WeightBlock {
  int64_t first_group, groups;
  int64_t first_input, inputs;
};

// All weights, each in one block of at most `most_inputs` inputs. So many groups are in a block
// that the products of their inputs with one another are at most `most_products` numbers, but one
// group at least.
std::vector<WeightBlock> WeightBlocks(const Matrices& weights, int64_t most_inputs,
                                      int64_t most_products);

// The block's part of the steps of an output channel, which counts from the block's first one.
absl::Span<int32_t> StepsOf(WeightIntegers& weights, int64_t channel, const WeightBlock& block);

// The block's steps as real numbers: [block.groups](outputs, block.inputs).
Matrices StoredWeights(const WeightIntegers& weights, const WeightBlock& block);

// What is missing from the sums of some rows, for each output channel.
class RoundingErrors {
 public:
  // All of the samples' sums, as if the weights were 0. Keeps references to its arguments.
  RoundingErrors(const SumSamples& samples, ThreadPool& pool);

  // Subtracts the products of the block's patches with `weights`, [block.groups](outputs,
  // block.inputs).
  void Subtract(const Matrices& weights, const WeightBlock& block);

  // The block's patches: [block.groups](rows, block.inputs).
  Matrices PatchesOf(const WeightBlock& block) const;
  // What is missing for the block's groups: [block.groups](outputs, rows).
  Matrices MissingOf(const WeightBlock& block) const;
  // Sums of the squares of what is missing, of each output channel.
  std::vector<double> Squares() const;

 private:
  const SumSamples& samples_;
  ThreadPool& pool_;
  Matrices missing_;  // as SumSamples::sums
};

// 1/100 of the mean diagonal element of a group's `products`, [groups](inputs, inputs): the weight
// of the weights' own errors beside those of the sums, which keeps weights in place that the
// samples don't determine. GPTQ's choice, too.
float Damping(const Matrices& products, int64_t group);

// RoundingErrors::Squares() of the steps of `weights`.
std::vector<double> SquaredErrors(const SumSamples& samples, const WeightIntegers& weights,
                                  ThreadPool& pool);

// Gives the output channels whose error isn't less than `before` the steps of `start`.
void KeepImprovements(const std::vector<double>& before, const std::vector<double>& errors,
                      const std::vector<int32_t>& start, WeightIntegers& weights);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_ROUNDING_ERRORS_H_
