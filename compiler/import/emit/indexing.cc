#include "compiler/import/emit/indexing.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitGather(OpEmitter& op, Tensor* x, absl::StatusOr<Tensor*> indices,
                                   int64_t axis, absl::string_view suffix) {
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  return op.Emit("gather", {x, std::move(indices)}, {{"axis", axis}}, suffix);
}

}  // namespace synap_internal
