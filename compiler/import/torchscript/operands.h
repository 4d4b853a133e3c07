// Operands of operators that broadcast, in one type.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

struct Operands {
  Tensor* a;
  Tensor* b;

  DataType dtype() const { return a->type.dtype; }
};

// Arguments `first` and the next, tensors or numbers.
absl::StatusOr<Operands> GetOperands(NodeContext& node, size_t first = 0);

// Both as the more general of their types, and `least` at least.
absl::StatusOr<Operands> Promoted(NodeContext& node, Operands x, DataType least);
absl::StatusOr<Operands> GetPromoted(NodeContext& node, DataType least = DataType::kInt64,
                                     size_t first = 0);

// Argument i as real numbers.
Emitted GetRealTensor(NodeContext& node, size_t i);

// Both in the shape that they broadcast to, a constant as a constant.
absl::StatusOr<Operands> Broadcast(NodeContext& node, const Operands& x);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_
