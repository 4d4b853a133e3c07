// Channels between two linear ops get weights of like size on both sides, so that one
// scale for all of them suits each.
//
//   %c = conv2d(%x, %w, %b) {min=0}        %c = conv2d(%x, %w / s, %b / s) {min=0}
//   %d = conv2d(%c, %v)               ->   %d = conv2d(%c, %v * s)
//
// s is, for each channel, the power of two next to the square root of (largest of w /
// largest of v): "Data-Free Quantization Through Weight Equalization and Bias
// Correction", arXiv:1906.04721. With powers of two the network computes the same
// values. %c may be clamped at 0 only and is read by the second op only.
#ifndef COMPILER_PASSES_EQUALIZE_WEIGHTS_H_
#define COMPILER_PASSES_EQUALIZE_WEIGHTS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Needs a float graph. Returns the number of pairs of ops that changed.
absl::StatusOr<int> EqualizeWeights(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_EQUALIZE_WEIGHTS_H_
