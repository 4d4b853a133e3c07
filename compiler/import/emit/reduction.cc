#include "compiler/import/emit/reduction.h"

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
