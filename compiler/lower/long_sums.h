// Warnings about layers whose sums need accumulators of 64 bits.
#ifndef COMPILER_LOWER_LONG_SUMS_H_
#define COMPILER_LOWER_LONG_SUMS_H_

#include <vector>

#include "base/warnings.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// A warning for each layer of a compiled graph (8 bits are uint8) whose sums of products no
// proof keeps within 2^30, so that its accumulators have 64 bits.
std::vector<Warning> LongSums(const Graph& compiled);

}  // namespace synap_internal

#endif  // COMPILER_LOWER_LONG_SUMS_H_
