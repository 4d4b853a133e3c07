// Warnings about layers whose sums need accumulators of 64 bits.
#ifndef COMPILER_GRAPH_LONG_SUMS_H_
#define COMPILER_GRAPH_LONG_SUMS_H_

#include <vector>

#include "base/warnings.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// A warning for each layer of a compiled graph (int8 is uint8 by then) whose sums of products may
// pass 2^30 for some input, so that it runs with 64-bit accumulators.
std::vector<Warning> LongSums(const Graph& compiled);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_LONG_SUMS_H_
