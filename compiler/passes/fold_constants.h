// Ops whose operands are all constant become constants.
//
//   const %a = [2.0]                  const %b = [4.0]
//   %b = square(%a)            ->
//
// Results of more than 64 MiB stay ops: folding an expand must not make a bomb
// of a small model.
#ifndef COMPILER_PASSES_FOLD_CONSTANTS_H_
#define COMPILER_PASSES_FOLD_CONSTANTS_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FoldConstants(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FOLD_CONSTANTS_H_
