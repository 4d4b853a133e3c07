// Questions about how a tensor is made.
#ifndef COMPILER_GRAPH_PASSES_PRODUCERS_H_
#define COMPILER_GRAPH_PASSES_PRODUCERS_H_

#include <optional>

#include "compiler/graph/graph.h"
#include "kernels/unary/unary.h"

namespace synap_internal {

// The one value of a float32 constant with one element; nullopt for other tensors.
std::optional<float> ScalarValue(const Tensor& tensor);

// f of a tensor that an op f(x) makes, x one operand; nullopt for other tensors.
std::optional<UnaryFunction> FunctionOf(const Tensor& tensor);

// Whether the op is operand 0 to the power of operand 1.
bool IsPower(const Op& op);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_PRODUCERS_H_
