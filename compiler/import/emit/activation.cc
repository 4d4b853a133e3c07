#include "compiler/import/emit/activation.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<Tensor*> EmitSelu(OpEmitter& emitter, Tensor* x, float alpha, float scale,
                                 absl::string_view scale_suffix) {
  ASSIGN_OR_RETURN(Tensor * elu, emitter.Emit("elu", {x}, {{"alpha", alpha}}, ".elu"));
  return emitter.Emit("mul", {elu, emitter.Scalar(scale, scale_suffix)});
}

absl::StatusOr<Tensor*> EmitSoftsign(OpEmitter& emitter, Tensor* x,
                                     absl::string_view divisor_suffix) {
  ASSIGN_OR_RETURN(Tensor * abs, emitter.Emit("abs", {x}, {}, ".abs"));
  Tensor* one = emitter.Scalar(1, ".one");
  ASSIGN_OR_RETURN(Tensor * divisor, emitter.Emit("add", {abs, one}, {}, divisor_suffix));
  return emitter.Emit("div", {x, divisor});
}

}  // namespace synap_internal
