// Equalizes the channels between a linear op or a normalization and the linear ops that read it, so
// that one quantizer suits all channels.
//
//   %c = conv2d(%x, %w, %b) {min=0}        %c = conv2d(%x, %w / s, %b / s) {min=0}
//   %d = conv2d(%c, %v)               ->   %d = conv2d(%c, %v * s)
//
// For each channel, s is the power of two nearest to the square root of (largest |w| / largest
// |v|): "Data-Free Quantization Through Weight Equalization and Bias Correction",
// arXiv:1906.04721. Powers of two leave the network's results the same to the bit. %c may have a
// clamp at 0 and no other activation, and only the second op may read it.
//
//   %n = normalization(%x, %g, %b)         %n = normalization(%x, %g / s, %b / s)
//   %d = fully_connected(%n, %v)      ->   %d = fully_connected(%n, %v * s)
//
// So outliers in channels of a transformer's activations move into the weights that read them:
// "SmoothQuant", arXiv:2211.10438, with its migration strength of 0.5, and with |b| + 4 |g| for a
// channel's largest value. All that reads %n must be such ops, as the three projections of
// attention are.
#ifndef COMPILER_GRAPH_PASSES_EQUALIZE_WEIGHTS_H_
#define COMPILER_GRAPH_PASSES_EQUALIZE_WEIGHTS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of ops whose output channels were scaled. Leaves quantized ops as they are.
absl::StatusOr<int> EqualizeWeights(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_EQUALIZE_WEIGHTS_H_
