// Replaces ops over constants by the constants that they compute.
//
//   const %a = [2.0]                  const %b = [4.0]
//   %b = square(%a)            ->
//
// An op with more than 64 MiB of results stays: a few bytes of model could ask for any amount of
// memory.
#ifndef COMPILER_GRAPH_PASSES_FOLD_CONSTANTS_H_
#define COMPILER_GRAPH_PASSES_FOLD_CONSTANTS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FoldConstants(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FOLD_CONSTANTS_H_
