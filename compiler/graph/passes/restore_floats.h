// Turns a quantized network back into a float32 one, which can be quantized anew.
//
//   const %w: uint8[...]<affine 0.02 100>        const %w: float32[...]
//   %x: uint8 = quantize(%f)               ->    (nothing)
//   %c: uint8<affine 0.1 0> = conv2d(%x, %w)     %c: float32 = conv2d(%f, %w) {max=25.5, min=0.0}
//
// Weights keep the real numbers that their integers stand for. A tensor whose quantizer has no
// negative numbers came from an activation that was left to the integers' limits: the linear, add,
// sub or mul op that makes it gets these limits as a clamp. Other limits are dropped; they only cut
// off values that were rare when the network was quantized.
#ifndef COMPILER_GRAPH_PASSES_RESTORE_FLOATS_H_
#define COMPILER_GRAPH_PASSES_RESTORE_FLOATS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of tensors that became float32. No tensor is quantized afterwards.
absl::StatusOr<int> RestoreFloats(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_RESTORE_FLOATS_H_
