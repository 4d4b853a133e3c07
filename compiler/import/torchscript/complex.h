// Complex numbers among the arguments and results of operators.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_COMPLEX_H_
#define COMPILER_IMPORT_TORCHSCRIPT_COMPLEX_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/torchscript/node_context.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// Argument i, a tensor or a number, as float32.
absl::StatusOr<Complex> GetComplex(NodeContext& node, size_t i);

// The output; real numbers where `imaginary` is null.
absl::Status SetComplex(NodeContext& node, const Emitted& real, const Emitted& imaginary);
// The output: real numbers that are complex by their type.
absl::Status SetComplexOfReal(NodeContext& node, const Emitted& real);

// [..., 2] with the real and the imaginary parts, the node's output.
Emitted EmitPairs(NodeContext& node, const Complex& x);

// The real and the imaginary parts of a constant [..., 2].
absl::StatusOr<Value> ComplexConstant(GraphBuilder& builder, const Tensor& pairs);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_COMPLEX_H_
