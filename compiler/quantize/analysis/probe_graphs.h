// Probe graphs: variants of the quantized network that show a layer's own and accumulated error.
#ifndef COMPILER_QUANTIZE_ANALYSIS_PROBE_GRAPHS_H_
#define COMPILER_QUANTIZE_ANALYSIS_PROBE_GRAPHS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/analysis/tensor_pairs.h"

namespace synap_internal {

// A layer's result in the quantized graph and in the float graph.
struct LayerPair {
  const Op* op;          // of the quantized graph
  const Tensor* tensor;  // one of its outputs
  const Tensor* real;    // float32, of the float graph
  // Only functions of one operand read it, directly or after ops that move or convert it, and its
  // range was narrowed to the part in which they aren't flat (narrowed_ranges.h). Values outside of
  // it aren't counted as lost here.
  bool feeds_function = false;
};

// The layers that can lose accuracy, in the graph's order: all but conversions and those that
// compute in float32 with operands of the float graph.
std::vector<LayerPair> LossyLayers(const Graph& quantized, const TensorPairs& pairs);

struct ProbeGraph {
  Graph graph;
  // For each of the tensors that were asked for, the name of a float32 tensor with its values.
  std::vector<std::string> probes;
};

// Each layer in isolation: its operands are those of the float network, converted to the types
// that the layer reads. The inputs are tensors of the float graph, with their names; there is no
// output.
absl::StatusOr<ProbeGraph> IsolatedLayers(const std::vector<LayerPair>& layers,
                                          const TensorPairs& pairs);

// Float layers of which only the 8-bit weights are rounded. Their operands are those of the float
// network, their weights the dequantized integers; the functions that are fused into the quantized
// layers follow them. The inputs are tensors of the float graph, with their names;
// there is no output. The probe of a layer that has no such weights is "".
absl::StatusOr<ProbeGraph> LayersOfRoundedWeights(const std::vector<LayerPair>& layers);

// Whether `op`, of a quantized graph, is a linear layer with constant 8-bit weights.
bool HasByteWeights(const Op& op);

// The op after `op` in the graph's order, null at the end.
Op* NextOp(Graph& graph, const Op* op);

// The quantized network with the inputs of the float graph `real`, and with a float32 copy of each
// of its `tensors`.
absl::StatusOr<ProbeGraph> ProbedNetwork(const Graph& real, const Graph& quantized,
                                         const std::vector<const Tensor*>& tensors);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_PROBE_GRAPHS_H_
