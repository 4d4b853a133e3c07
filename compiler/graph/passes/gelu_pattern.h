// The ops of which GELU is written, matched from their end.
#ifndef COMPILER_GRAPH_PASSES_GELU_PATTERN_H_
#define COMPILER_GRAPH_PASSES_GELU_PATTERN_H_

#include <optional>

#include "compiler/graph/graph.h"

namespace synap_internal {

struct GeluMatch {
  Tensor* x;
  bool approximate;  // by tanh
};

// Of an op whose result is x / 2 (1 + f), where f is erf(x / sqrt 2), or its approximation
// tanh(sqrt(2 / pi) (x + 0.044715 x^3)) ("Gaussian Error Linear Units", arXiv:1606.08415). Sums,
// products, quotients by constants and powers may stand in any order, since they are compared as
// polynomials of x and f, whose coefficients may differ by 1e-6. Nullopt for other ops.
std::optional<GeluMatch> MatchGelu(const Op& op);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_GELU_PATTERN_H_
