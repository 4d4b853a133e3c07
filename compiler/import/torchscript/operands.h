// Operands of operators that broadcast, in one type, and of those along a dimension.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

// Argument 0. A scalar, which PyTorch takes along a dimension 0 that it doesn't have, is a list of
// one element.
Emitted GetListOrMore(NodeContext& node);

// GetListOrMore and an axis of it.
struct ListAxis {
  Tensor* x = nullptr;
  size_t axis = 0;
  bool scalar = false;  // the argument was one

  int64_t extent() const { return x->type.shape[axis]; }
};

// The axis at argument `axis_at` or, without that, `fallback`.
absl::StatusOr<ListAxis> GetListAxis(NodeContext& node, size_t axis_at, int64_t fallback = -1);

// y, of x's shape but for the axis, named Name(suffix) where it becomes a scalar again.
Emitted ScalarIfGiven(NodeContext& node, const ListAxis& along, const Emitted& y,
                      absl::string_view suffix);

// x [..., n, ...] as [..., n], the axis as the last one; named Name(suffix) if it wasn't that.
Emitted AxisLast(NodeContext& node, const Emitted& x, size_t axis, absl::string_view suffix);

// The axes of x that aren't among `axes`, in their order.
std::vector<int64_t> OtherAxes(const Tensor& x, const std::vector<int64_t>& axes);

// The larger elements of arguments 0 and 1, or the smaller ones, the node's output.
absl::Status SetExtremum(NodeContext& node, bool max);

// Both in the shape that they broadcast to, a constant as a constant.
absl::StatusOr<Operands> Broadcast(NodeContext& node, const Operands& x);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_OPERANDS_H_
