#include "compiler/import/emit/constant.h"

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitRange(OpEmitter& op, int64_t start, int64_t end, int64_t step,
                                  absl::string_view suffix) {
  ASSIGN_OR_RETURN(const AxisSlice range, ResolveRange(start, end, step));
  return op.builder().AddRange(op.Name(suffix), range.start, range.size, range.step);
}

}  // namespace synap_internal
