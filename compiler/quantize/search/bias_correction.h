// Bias correction: compensates the mean error of rounded weights.
#ifndef COMPILER_QUANTIZE_SEARCH_BIAS_CORRECTION_H_
#define COMPILER_QUANTIZE_SEARCH_BIAS_CORRECTION_H_

#include "absl/status/status.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/statistics/observe_samples.h"

namespace synap_internal {

// Adds to the biases of the 8-bit linear layers of `quantized`, made from `real` by QuantizeGraph,
// the mean error of their sums over samples and positions:
//   sum over i of w[c, i] * mean of x[i] - q[c, i] * mean of y[i]
// with weights w and operands x of the float network, q the real numbers that the integer weights
// stand for ("Data-Free Quantization Through Weight Equalization and Bias Correction",
// arXiv:1906.04721, with measured means). Each tap has means of its own: a tap is in the padding,
// as 0, at so many positions as it is in the layer (patch_means.h).
//   kFast: y = x. One run of the float network.
//   kFull: y are the layer's operands in the quantized network with the layers before it corrected,
//          so that their loss is compensated, too. Layers that don't depend on each other are
//          corrected together, after one step of the network before them (stepped_network.h, which
//          also says how much memory that takes).
// REQUIRES: correction isn't kNone. `threads` as ExecutorOptions::threads. Deterministic.
absl::Status CorrectBiases(const Graph& real, const SampleSource& samples,
                           BiasCorrection correction, int threads, Graph& quantized);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_BIAS_CORRECTION_H_
