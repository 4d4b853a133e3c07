// Emission of a node as another operator of the default domain.
#ifndef COMPILER_IMPORT_ONNX_AS_OPERATOR_H_
#define COMPILER_IMPORT_ONNX_AS_OPERATOR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/node_context.h"

namespace synap_internal::onnx_import {

// Output 0 of `op_type` over other operands, named Name(".real"), with the node's attributes except
// for `own`, those that the other operator doesn't have.
// REQUIRES: no operand is null, and `op_type` has a row.
absl::StatusOr<Tensor*> EmitAs(NodeContext& node, const std::string& op_type,
                               std::vector<Tensor*> operands,
                               absl::Span<const absl::string_view> own = {});

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_AS_OPERATOR_H_
