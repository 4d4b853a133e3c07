// Lets slices and gathers of one operand of a concat read that operand: detectors join boxes and
// scores, move them, and take them apart again, and in 8 bits the joined tensor has one scale.
//
//   %k = concat(%boxes, %scores) {axis=1}         %t = transpose(%scores) {perm=[0, 2, 1]}
//   %t = transpose(%k) {perm=[0, 2, 1]}      ->   %s = slice(%t) {starts=[0, 0, 0], ...}
//   %s = slice(%t) {starts=[0, 0, 4], ...}
//
// Between them may be transposes, reshapes that keep the dimension, gathers along another one, and
// concats along another one, all of whose operands are joined like that. Only where no operand is
// requantized: the values stay the same bits.
#ifndef COMPILER_GRAPH_PASSES_BYPASS_CONCATS_H_
#define COMPILER_GRAPH_PASSES_BYPASS_CONCATS_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites. Slices that hold all of what they read are left to
// RemoveIdentities.
absl::StatusOr<int> BypassConcats(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_BYPASS_CONCATS_H_
