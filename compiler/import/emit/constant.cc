#include "compiler/import/emit/constant.h"

#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitRange(OpEmitter& op, int64_t start, int64_t end, int64_t step,
                                  absl::string_view suffix) {
  ASSIGN_OR_RETURN(const AxisSlice range, ResolveRange(start, end, step));
  return op.builder().AddRange(op.Name(suffix), range.start, range.size, range.step);
}

absl::StatusOr<Tensor*> EmitRange(OpEmitter& op, const Tensor& start, const Tensor& limit,
                                  const Tensor& delta) {
  ASSIGN_OR_RETURN(const int64_t first, ConstantInt(start, "start"));
  ASSIGN_OR_RETURN(const int64_t end, ConstantInt(limit, "limit"));
  ASSIGN_OR_RETURN(const int64_t step, ConstantInt(delta, "delta"));
  return EmitRange(op, first, end, step);
}

}  // namespace synap_internal
