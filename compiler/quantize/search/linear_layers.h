// Linear layers of a quantized network whose weights and biases can still be improved.
#ifndef COMPILER_QUANTIZE_SEARCH_LINEAR_LAYERS_H_
#define COMPILER_QUANTIZE_SEARCH_LINEAR_LAYERS_H_

#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// A layer with 8-bit weights that were quantized here, in both networks.
struct LinearLayer {
  Op* op;          // of the quantized graph
  const Op* real;  // of the float graph; its weights are constant
  int depth;       // the largest number of such layers on a path up to this one, itself included
};

// In the graph's order. Without conv_transpose2d, whose outputs sum different taps depending on
// their position. `quantized` was made from `real` by QuantizeGraph.
std::vector<LinearLayer> FindLinearLayers(const Graph& real, Graph& quantized);

// Those of depth 1, those of depth 2...
std::vector<std::vector<LinearLayer>> ByDepth(const std::vector<LinearLayer>& layers);

// Adds `missing` (real numbers, by output channel) to the bias of `op`, a layer of `graph`, which
// gets one if it has none. Values that are not finite, in real numbers or in the bias's steps, are
// skipped.
void AddToBias(Graph& graph, Op& op, const std::vector<double>& missing);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_LINEAR_LAYERS_H_
