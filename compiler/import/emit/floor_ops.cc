#include "compiler/import/emit/floor_ops.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitFloorDiv(OpEmitter& emitter, Tensor* a, Tensor* b) {
  if (a->type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(Tensor * quotient, emitter.Emit("div", {a, b}, {}, ".quotient"));
    return emitter.Emit("floor", {quotient});
  }
  // (a - mod(a, b)) / b, which has no remainder
  ASSIGN_OR_RETURN(Tensor * rest, emitter.Emit("mod", {a, b}, {}, ".rest"));
  ASSIGN_OR_RETURN(Tensor * whole, emitter.Emit("sub", {a, rest}, {}, ".whole"));
  return emitter.Emit("div", {whole, b});
}

absl::StatusOr<Tensor*> EmitFloorMod(OpEmitter& emitter, Tensor* a, Tensor* b) {
  // Of integers op mod is just that.
  if (a->type.dtype != DataType::kFloat32) return emitter.Emit("mod", {a, b});
  ASSIGN_OR_RETURN(Tensor * quotient, emitter.Emit("div", {a, b}, {}, ".quotient"));
  ASSIGN_OR_RETURN(quotient, emitter.Emit("floor", {quotient}, {}, ".floor"));
  ASSIGN_OR_RETURN(Tensor * whole, emitter.Emit("mul", {quotient, b}, {}, ".whole"));
  return emitter.Emit("sub", {a, whole});
}

}  // namespace synap_internal
