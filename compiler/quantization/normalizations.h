// Normalizations, which importers write as the ops that they are made of.
#ifndef COMPILER_QUANTIZATION_NORMALIZATIONS_H_
#define COMPILER_QUANTIZATION_NORMALIZATIONS_H_

#include <set>
#include <vector>

#include "compiler/ir/graph.h"

namespace synap_internal {

// The ops of one normalization, in the order of the graph.
struct Normalization {
  // All: from the means, if it has them, to the quotient and the constants that scale and shift it.
  std::vector<const Op*> ops;
  // Those of them that divide: from the values' powers over their mean to the quotient.
  std::vector<const Op*> division;
};

// All that a graph has: quotients, or products with a reciprocal, of x or of x - mean(x) and of a
// function of the mean of the same values' powers. LayerNorm, RMSNorm, GroupNorm and InstanceNorm
// are such, and L2 norms. Those by constant statistics aren't.
std::vector<Normalization> FindNormalizations(const Graph& graph);

// `ops` in the order of the graph, whose ops they are.
std::vector<const Op*> InOrder(const Graph& graph, const std::set<const Op*>& ops);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZATION_NORMALIZATIONS_H_
