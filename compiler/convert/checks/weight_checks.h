// Warnings about constants that are no numbers.
#ifndef COMPILER_CONVERT_CHECKS_WEIGHT_CHECKS_H_
#define COMPILER_CONVERT_CHECKS_WEIGHT_CHECKS_H_

#include "base/warnings.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Warns of each float constant that has NaN, or that has an infinite value although a layer
// multiplies by it or adds it as a bias. Infinity elsewhere is a mask (softmax_rows.h), a limit or
// the border of a pooled image.
void WarnOfNonFiniteWeights(const Graph& graph, Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CHECKS_WEIGHT_CHECKS_H_
