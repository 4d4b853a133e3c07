#include "compiler/import/emit/reduction.h"

#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

Emitted EmitReduce(OpEmitter& op, absl::string_view op_name, const Emitted& x,
                   std::vector<int64_t> axes, bool keep_dims, absl::string_view suffix) {
  return op.Emit(op_name, {x}, {{"axes", std::move(axes)}, {"keep_dims", int64_t{keep_dims}}},
                 suffix);
}

Emitted EmitLogSumExp(OpEmitter& op, const Emitted& x, const std::vector<int64_t>& axes,
                      bool keep_dims) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  Emitted largest = EmitReduce(op, "reduce_max", x, axes, true, ".largest");
  // The difference of infinities would be NaN.
  largest = op.Emit("clip", {largest}, {{"min", -kLargest}, {"max", kLargest}}, ".finite");
  const Emitted below = op.Emit("sub", {x, largest}, {}, ".below");
  Emitted sum = op.Emit("exp", {below}, {}, ".exp");
  sum = EmitReduce(op, "reduce_sum", sum, axes, keep_dims, ".sum");
  ASSIGN_OR_RETURN(Tensor * y, op.Emit("log", {sum}, {}, ".log"));
  return op.Emit("add", {y, op.Reshape(largest, y->type.shape.dims(), ".offset")});
}

Emitted EmitArgMax(OpEmitter& op, const Emitted& x, int64_t axis, bool keep_dims,
                   absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, (*x)->type.shape.rank()));
  return op.Emit("argmax", {x}, {{"axis", axis}, {"keep_dims", int64_t{keep_dims}}}, suffix);
}

Emitted EmitArgMin(OpEmitter& op, const Emitted& x, int64_t axis, bool keep_dims,
                   absl::string_view suffix) {
  return EmitArgMax(op, op.Emit("neg", {x}, {}, ".negative"), axis, keep_dims, suffix);
}

}  // namespace synap_internal
