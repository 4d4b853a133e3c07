// Merges ops that compute the same from the same operands: the first one stays.
//
//   %b = transpose(%a) {perm=[0, 2, 3, 1]}
//   %c = transpose(%a) {perm=[0, 2, 3, 1]}   ->  (readers of %c read %b)
#ifndef COMPILER_GRAPH_PASSES_MERGE_DUPLICATES_H_
#define COMPILER_GRAPH_PASSES_MERGE_DUPLICATES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> MergeDuplicates(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_MERGE_DUPLICATES_H_
