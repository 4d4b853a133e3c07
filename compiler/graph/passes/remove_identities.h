// Removes ops that change nothing and joins chains of reshapes.
//
//   %b = reshape(%a) {shape=[2, 3]}
//   %c = reshape(%b) {shape=[6]}      ->  %c = reshape(%a) {shape=[6]}
//   %d = concat(%c) {axis=0}              (readers of %d read %c)
//
// Also: a transpose that moves dimensions of 1 only becomes a reshape, and slices, pads, expands
// and casts that leave their operand as it is are removed.
#ifndef COMPILER_GRAPH_PASSES_REMOVE_IDENTITIES_H_
#define COMPILER_GRAPH_PASSES_REMOVE_IDENTITIES_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> RemoveIdentities(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_REMOVE_IDENTITIES_H_
