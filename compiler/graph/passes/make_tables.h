// Replaces functions of one uint8 tensor by look-ups in a table of 256 entries.
//
//   %y: uint8 = silu(%x)                             ->  %y: uint8 = lookup(%x, const %table)
//   %y: uint8 = mul(%x, lookup(%x, const %sigmoid))  ->  the same
//   %y: uint8 = add(%x, const %scalar)               ->  the same
//
// The ops themselves compute the table, so that the results are the same to the bit.
#ifndef COMPILER_GRAPH_PASSES_MAKE_TABLES_H_
#define COMPILER_GRAPH_PASSES_MAKE_TABLES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> MakeTables(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_MAKE_TABLES_H_
