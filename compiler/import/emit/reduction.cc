#include "compiler/import/emit/reduction.h"

#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitReduce(OpEmitter& op, absl::string_view op_name,
                                   absl::StatusOr<Tensor*> x, std::vector<int64_t> axes,
                                   bool keep_dims, absl::string_view suffix) {
  return op.Emit(op_name, {std::move(x)},
                 {{"axes", std::move(axes)}, {"keep_dims", int64_t{keep_dims}}}, suffix);
}

absl::StatusOr<Tensor*> EmitLogSumExp(OpEmitter& op, Tensor* x, const std::vector<int64_t>& axes,
                                      bool keep_dims) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  ASSIGN_OR_RETURN(Tensor * largest, EmitReduce(op, "reduce_max", x, axes, true, ".largest"));
  // The difference of infinities would be NaN.
  ASSIGN_OR_RETURN(largest,
                   op.Emit("clip", {largest}, {{"min", -kLargest}, {"max", kLargest}}, ".finite"));
  ASSIGN_OR_RETURN(Tensor * y, op.Emit("sub", {x, largest}, {}, ".below"));
  ASSIGN_OR_RETURN(y, op.Emit("exp", {y}, {}, ".exp"));
  ASSIGN_OR_RETURN(y, EmitReduce(op, "reduce_sum", y, axes, keep_dims, ".sum"));
  ASSIGN_OR_RETURN(y, op.Emit("log", {y}, {}, ".log"));
  ASSIGN_OR_RETURN(largest, op.Reshape(largest, y->type.shape.dims(), ".offset"));
  return op.Emit("add", {y, largest});
}

absl::StatusOr<Tensor*> EmitArgMax(OpEmitter& op, Tensor* x, int64_t axis, bool keep_dims,
                                   absl::string_view suffix) {
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  return op.Emit("argmax", {x}, {{"axis", axis}, {"keep_dims", int64_t{keep_dims}}}, suffix);
}

absl::StatusOr<Tensor*> EmitArgMin(OpEmitter& op, Tensor* x, int64_t axis, bool keep_dims,
                                   absl::string_view suffix) {
  ASSIGN_OR_RETURN(x, op.Emit("neg", {x}, {}, ".negative"));
  return EmitArgMax(op, x, axis, keep_dims, suffix);
}

}  // namespace synap_internal
