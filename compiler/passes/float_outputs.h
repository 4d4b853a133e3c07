// What leaves the network as real numbers need not be rounded to 8 bits on its way
// out.
//
//   %c: uint8 = conv2d(%x, %w, %b)         %f: float32 = dequantize(%x)
//   %s: uint8 = sigmoid(%c)                %c: float32 = conv2d(%f, w, b as float32)
//   %k: uint8 = concat(%s, %p)        ->   %s: float32 = sigmoid(%c)
//   %y: float32 = dequantize(%k)           %q: float32 = dequantize(%p)
//                                          %y: float32 = concat(%s, %q)
//
// Linear ops keep the 8-bit values of their operands, only their sums aren't
// rounded. That is where detectors lose most: one scale for boxes, scores and
// landmarks. The ops behind the last linear ones that are changed: those over
// single elements, softmax, concat, and those that move data, if nothing else
// reads what lies between.
#ifndef COMPILER_PASSES_FLOAT_OUTPUTS_H_
#define COMPILER_PASSES_FLOAT_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FloatOutputs(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FLOAT_OUTPUTS_H_
