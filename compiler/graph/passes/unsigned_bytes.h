// Turns int8 tensors into uint8 tensors that stand for the same numbers: sign bits flipped, zero
// point + 128. Kernels compute in uint8 only (kernels/emulated_types.h), so that nothing has to be
// converted when the network runs.
//
//   %a: int8[..] {scale=s zero_point=z}   ->   %a: uint8[..] {scale=s zero_point=z+128}
//
// Graph inputs and outputs stay int8; a requantize between equal scales, which is exact, converts
// them. Weights with a scale for each channel stay int8, the type that kernels take.
#ifndef COMPILER_GRAPH_PASSES_UNSIGNED_BYTES_H_
#define COMPILER_GRAPH_PASSES_UNSIGNED_BYTES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Whether a layer, other than a conversion, computes in int8 with one scale for the tensor.
bool ComputesInSignedBytes(const Graph& graph);

// Returns the number of tensors that changed.
absl::StatusOr<int> UnsignedBytes(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_UNSIGNED_BYTES_H_
