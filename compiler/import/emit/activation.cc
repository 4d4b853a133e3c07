#include "compiler/import/emit/activation.h"

namespace synap_internal {

Emitted EmitSelu(OpEmitter& emitter, const Emitted& x, float alpha, float scale,
                 absl::string_view scale_suffix) {
  return emitter.Emit("mul", {emitter.Emit("elu", {x}, {{"alpha", alpha}}, ".elu"),
                              emitter.Scalar(scale, scale_suffix)});
}

Emitted EmitSoftsign(OpEmitter& emitter, const Emitted& x, absl::string_view divisor_suffix) {
  const Emitted abs = emitter.Emit("abs", {x}, {}, ".abs");
  const Emitted one = emitter.Scalar(1, ".one");
  return emitter.Emit("div", {x, emitter.Emit("add", {abs, one}, {}, divisor_suffix)});
}

}  // namespace synap_internal
