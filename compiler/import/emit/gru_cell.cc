#include "compiler/import/emit/gru_cell.h"

#include <cstdint>

#include "base/status_macros.h"

namespace synap_internal {
namespace {

// The hidden gate's share of the state: reset before the product, or after it.
absl::StatusOr<Tensor*> ResetState(OpEmitter& emitter, const RecurrentDirection& direction,
                                   GruReset what, Tensor* product, Tensor* reset, Tensor* h) {
  if (what == GruReset::kProduct) {
    ASSIGN_OR_RETURN(Tensor * hidden,
                     RecurrentPart(emitter, product, 2, direction.hidden, ".hidden"));
    return emitter.Emit("mul", {reset, hidden}, {}, ".hidden");
  }
  ASSIGN_OR_RETURN(Tensor * kept, emitter.Emit("mul", {reset, h}, {}, ".kept"));
  RecurrentDirection hidden_gate = direction;
  ASSIGN_OR_RETURN(hidden_gate.recurrence,
                   RecurrentPart(emitter, direction.recurrence, 2, direction.hidden, ".hidden"));
  if (direction.recurrence_bias != nullptr) {
    ASSIGN_OR_RETURN(hidden_gate.recurrence_bias, RecurrentPart(emitter, direction.recurrence_bias,
                                                                2, direction.hidden, ".hidden"));
  }
  return RecurrentProduct(emitter, hidden_gate, kept);
}

}  // namespace

absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       GruReset reset, Tensor* input, const RecurrentState& state) {
  const int64_t size = direction.hidden;
  ASSIGN_OR_RETURN(Tensor * product, RecurrentProduct(emitter, direction, state.h));
  Tensor* gates[2];  // update, reset
  for (int64_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(Tensor * of_input, RecurrentPart(emitter, input, i, size, ".gate"));
    ASSIGN_OR_RETURN(Tensor * of_state, RecurrentPart(emitter, product, i, size, ".gate"));
    ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {of_input, of_state}, {}, ".gate"));
    ASSIGN_OR_RETURN(gates[i], direction.functions[0](emitter, sum));
  }
  ASSIGN_OR_RETURN(Tensor * of_state,
                   ResetState(emitter, direction, reset, product, gates[1], state.h));
  ASSIGN_OR_RETURN(Tensor * of_input, RecurrentPart(emitter, input, 2, size, ".hidden"));
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {of_input, of_state}, {}, ".hidden"));
  ASSIGN_OR_RETURN(Tensor * hidden, direction.functions[1](emitter, sum));
  // (1 - update) * hidden + update * h
  ASSIGN_OR_RETURN(Tensor * change, emitter.Emit("sub", {state.h, hidden}, {}, ".change"));
  ASSIGN_OR_RETURN(change, emitter.Emit("mul", {gates[0], change}, {}, ".change"));
  RecurrentState next;
  ASSIGN_OR_RETURN(next.h, emitter.Emit("add", {hidden, change}, {}, ".h"));
  return next;
}

}  // namespace synap_internal
