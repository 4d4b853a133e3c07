// Normalizations: the ops that normalize (OpDef::normalizes), and those that are still several ops.
#ifndef COMPILER_QUANTIZE_RANGES_NORMALIZATIONS_H_
#define COMPILER_QUANTIZE_RANGES_NORMALIZATIONS_H_

#include <set>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// Of several ops are quotients, or products with a reciprocal, of x or of x - mean(x) and of a
// function of the mean of the same values' powers, where fuse_normalizations.h leaves them so: a
// deviation with a limit, say, or axes that are apart. All from the means to the constants that
// scale and shift the quotient belong to it. Those by constant statistics aren't such.
std::set<const Op*> NormalizingOps(const Graph& graph);

// `ops` in the order of the graph, whose ops they are.
std::vector<const Op*> InOrder(const Graph& graph, const std::set<const Op*>& ops);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_NORMALIZATIONS_H_
