// Puts the division of a softmax back where TensorFlow Lite has it, for graphs that divide the
// results of attention instead (compiler/graph/passes/defer_division.h).
//
//   %p = softmax(%scores) {normalize=0}        ->  %p = softmax(%scores)
//   %y = matmul(%p, %values) {normalize=1}         %y = matmul(%p, %values)
//
// Quantized probabilities get 16 bits, in steps of 1/32768: rows are long, and steps of 1/256 would
// round most of their elements to 0. The results are those of the graph within rounding.
#ifndef COMPILER_EXPORT_TFLITE_JOIN_DIVISION_H_
#define COMPILER_EXPORT_TFLITE_JOIN_DIVISION_H_

#include "compiler/graph/graph.h"

namespace synap_internal::tflite_export {

// A softmax that other ops read as well, or that isn't along the last dimension, stays as it is,
// and so do its readers.
void JoinDivision(Graph& graph);

// The quantizer of probabilities that kernels give in integers of the type.
QuantParams ProbabilitySteps(DataType type);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_JOIN_DIVISION_H_
