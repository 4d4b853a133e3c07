// Places of a dimension before and after an op that moves whole positions of it.
#ifndef COMPILER_GRAPH_PASSES_MOVED_AXIS_H_
#define COMPILER_GRAPH_PASSES_MOVED_AXIS_H_

#include <cstddef>
#include <optional>

#include "compiler/graph/graph.h"

namespace synap_internal {

// The dimension of operand 0 along which a gather chooses positions; nullopt for other ops.
std::optional<size_t> GatheredAxis(const Op& op);

// The dimension of operand 0 that dimension `axis` of the output comes from: position i of it holds
// what position i of the output's holds, or all that the output's is chosen of. Of transposes,
// reshapes that keep the dimension, slices, and gathers along another dimension; nullopt for
// other ops, and for what a reshape merges, splits, or makes of nothing (extents of 1).
std::optional<size_t> AxisBefore(const Op& op, size_t axis);

// The dimension of the output that dimension `axis` of operand 0 becomes; nullopt as above.
std::optional<size_t> AxisAfter(const Op& op, size_t axis);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_MOVED_AXIS_H_
