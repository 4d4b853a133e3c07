// Residual streams: what blocks with skip connections add their results to.
#ifndef COMPILER_QUANTIZE_RANGES_RESIDUALS_H_
#define COMPILER_QUANTIZE_RANGES_RESIDUALS_H_

#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// The ops that carry the streams of blocks that normalize, in the order of the graph: sums x + f(x)
// where f has a normalization or one reads the sum, ops that move x on its way to the sum, and what
// x begins with: a sum with a constant (a positional embedding) or a normalization. Sums in which
// an operand is repeated aren't such.
std::vector<const Op*> FindResiduals(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_RANGES_RESIDUALS_H_
