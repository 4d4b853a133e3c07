// A linear op whose result leaves the network as real numbers need not round
// it to 8 bits first.
//
//   %c: uint8 = conv2d(%x, %w, %b)         %f: float32 = dequantize(%x)
//   %r: uint8 = reshape(%c)           ->   %c: float32 = conv2d(%f, w, b as float32)
//   %y: float32 = dequantize(%r)           %y: float32 = reshape(%c)
//
// The operands keep their 8-bit values, only the sums aren't rounded. That is
// where detectors lose most: one scale for boxes, scores and landmarks. Crosses
// reshape, transpose and slice, if nothing else reads what lies between.
#ifndef COMPILER_PASSES_FLOAT_OUTPUTS_H_
#define COMPILER_PASSES_FLOAT_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap {

// Returns the number of rewrites.
absl::StatusOr<int> FloatOutputs(Graph& graph);

}  // namespace synap

#endif  // COMPILER_PASSES_FLOAT_OUTPUTS_H_
