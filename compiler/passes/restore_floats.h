// Takes a network's quantization back, for one of our own.
//
//   const %w: uint8[...]<affine 0.02 100>        const %w: float32[...]
//   %x: uint8 = quantize(%f)               ->    (nothing)
//   %c: uint8<affine 0.1 0> = conv2d(%x, %w)     %c: float32 = conv2d(%f, %w) {max=25.5, min=0.0}
//
// Weights keep the values that their integers stand for. Tensors that can't be negative came
// from an activation that the integers' limits stand for: their linear, add, sub or mul op
// gets these limits. Other limits only cut off what was rare when the network was quantized.
#ifndef COMPILER_PASSES_RESTORE_FLOATS_H_
#define COMPILER_PASSES_RESTORE_FLOATS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of tensors that became float32. Nothing is quantized afterwards.
absl::StatusOr<int> RestoreFloats(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_RESTORE_FLOATS_H_
