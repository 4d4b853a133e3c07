// Weight rounding driven by samples: AdaRound (https://arxiv.org/abs/2004.10568), GPTQ
// (https://arxiv.org/abs/2210.17323), or for each channel the better of both.
#ifndef COMPILER_QUANTIZE_SEARCH_ADAPTIVE_ROUNDING_H_
#define COMPILER_QUANTIZE_SEARCH_ADAPTIVE_ROUNDING_H_

#include <functional>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/words.h"
#include "compiler/quantize/statistics/observe_samples.h"

namespace synap_internal {

struct RoundingOptions {
  Rounding rounding = Rounding::kAdaptive;  // not kBalanced
  int samples = 0;                          // number of samples in the source
  // Biases compensate the sums' mean error, which rounding then ignores.
  bool correct_biases = false;
  int threads = 1;  // as ExecutorOptions::threads
  // Called after each layer. May be null.
  std::function<void(int done, int total)> progress;
};

// Chooses integers for the weights of the 8-bit linear layers of `quantized`, made from `real` by
// QuantizeGraph, so that
//   sum over i of q[c, i] * y[i]  comes near  sum over i of w[c, i] * x[i]
// over samples and positions: w and x are of the float network, before its clamp if the layer has
// one; y is the layer's operand in the quantized network with the layers before it chosen, so that
// their loss is compensated, too.
//   kAdaptive: one of the two integers around each weight (rounding_search.h).
//   kSecondOrder: with error feedback from weight to weight (second_order_rounding.h).
//   kAuto: both; each output channel keeps what has the smaller error of its sums on the rows that
//          check, kAdaptive's if they are equal.
// Layers that don't depend on each other are chosen together, after one step of the network before
// them (stepped_network.h), as in BiasCorrection::kFull.
//
// With correct_biases, biases follow the weights, layer by layer: CorrectBiases has nothing left to
// do. Weights that several layers read stay as they are. Every fourth sample, or position where
// there are less than four samples, only checks the result of the others.
//
// A layer is observed at up to 4096 positions: fewer where the float network's sums of all layers
// would have more than 2^25 elements, or the layer's patches more than 2^24, but at one position of
// each sample at least. Memory beside the networks: these numbers a few times over, some 24 bytes
// for each weight of the largest layer, the 64 MiB of rounding_search.h or second_order_rounding.h,
// and what stepped_network.h keeps. Layers with patches of more than 2^20 elements are skipped, and
// those whose sums float32 can't hold, which a clamp may hide.
//
// Returns the number of layers whose rounding was chosen. Deterministic. REQUIRES: options.samples
// > 0.
absl::StatusOr<int> AdaptRounding(const Graph& real, const SampleSource& samples,
                                  const RoundingOptions& options, Graph& quantized);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_ADAPTIVE_ROUNDING_H_
