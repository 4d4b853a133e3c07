// Divides attention's results instead of its weights.
//
//   %p = softmax(%s)       ->  %p = softmax(%s) {normalize=0}
//   %y = matmul(%p, %v)        %y = matmul(%p, %v) {normalize=1}
//
// and, with the values on the left, which are then transposed in place of the weights,
//
//   %p = softmax(%s)       ->  %p = softmax(%s) {normalize=0}
//   %t = transpose(%p)         %w = transpose(%v)
//   %y = matmul(%v, %t)        %z = matmul(%p, %w) {normalize=1}
//                              %y = transpose(%z)
//
// The same numbers with fewer divisions, one for each token and channel instead of one for each
// pair of tokens (Dao et al., "FlashAttention", 2022, section 3.1). In 8 bits it is more than that:
// a quantizer's steps are shares of each row's own largest weight, not of the largest of all, and
// rounded weights still sum to 1.
#ifndef COMPILER_GRAPH_PASSES_DEFER_DIVISION_H_
#define COMPILER_GRAPH_PASSES_DEFER_DIVISION_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Where nothing but products of matrices reads a float32 softmax, with its rows unbroken: as the
// first operand, or transposed as the second. Returns the number of rewrites.
absl::StatusOr<int> DeferDivision(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_DEFER_DIVISION_H_
