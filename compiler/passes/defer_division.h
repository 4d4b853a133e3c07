// Divides attention's results instead of its weights.
//
//   %p = softmax(%s)       ->  %p = softmax(%s) {normalize=0}
//   %y = matmul(%p, %v)        %y = matmul(%p, %v) {normalize=1}
//
// The same numbers with fewer divisions, one for each token and channel instead of one for each
// pair of tokens (Dao et al., "FlashAttention", 2022, section 3.1). In 8 bits it is more than that:
// a quantizer's steps are shares of each row's own largest weight, not of the largest of all, and
// rounded weights still sum to 1.
#ifndef COMPILER_PASSES_DEFER_DIVISION_H_
#define COMPILER_PASSES_DEFER_DIVISION_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Where nothing but products of matrices reads a float32 softmax, as their first operand and with
// its rows unbroken. Returns the number of softmaxes.
absl::StatusOr<int> DeferDivision(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_DEFER_DIVISION_H_
