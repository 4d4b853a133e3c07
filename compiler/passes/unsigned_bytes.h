// int8 tensors become uint8 ones that hold the same numbers: the same bytes with
// the sign bit flipped, zero point + 128. Kernels compute with uint8 alone
// (kernels/stand_in.h), so no operand has to be converted when the network runs.
//
//   %a: int8[..] {scale=s zero_point=z}   ->   %a: uint8[..] {scale=s zero_point=z+128}
//
// Graph inputs and outputs stay int8, behind a requantize (exact, as the scales
// are the same). Weights with a scale for each channel stay: kernels read them.
#ifndef COMPILER_PASSES_UNSIGNED_BYTES_H_
#define COMPILER_PASSES_UNSIGNED_BYTES_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of tensors that changed.
absl::StatusOr<int> UnsignedBytes(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_UNSIGNED_BYTES_H_
