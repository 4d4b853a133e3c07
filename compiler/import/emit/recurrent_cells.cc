#include "compiler/import/emit/recurrent_cells.h"

#include <utility>

#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr int64_t kCellGate = 3;

// Gate `index` of the sum of both products; all gates but the cell's may have a peephole at the
// cell state.
absl::StatusOr<Tensor*> LstmGate(OpEmitter& emitter, const RecurrentDirection& direction,
                                 Tensor* gates, int64_t index, Tensor* c) {
  ASSIGN_OR_RETURN(Tensor * gate, RecurrentPart(emitter, gates, index, direction.hidden, ".gate"));
  if (direction.peepholes != nullptr && index != kCellGate) {
    ASSIGN_OR_RETURN(Tensor * weights, RecurrentPart(emitter, direction.peepholes, index,
                                                     direction.hidden, ".peephole"));
    ASSIGN_OR_RETURN(Tensor * seen, emitter.Emit("mul", {c, weights}, {}, ".peephole"));
    ASSIGN_OR_RETURN(gate, emitter.Emit("add", {gate, seen}, {}, ".gate"));
  }
  return direction.functions[index == kCellGate ? 1 : 0](emitter, gate);
}

// 1 - gate
absl::StatusOr<Tensor*> Complement(OpEmitter& emitter, Tensor* gate, absl::string_view suffix) {
  return emitter.Emit("sub", {emitter.Scalar(1, ".one"), gate}, {}, suffix);
}

absl::StatusOr<Tensor*> Clipped(OpEmitter& emitter, Tensor* x, float limit,
                                absl::string_view suffix) {
  if (limit <= 0) return x;
  return emitter.Emit("clip", {x}, {{"min", -limit}, {"max", limit}}, suffix);
}

absl::StatusOr<Tensor*> Projected(OpEmitter& emitter, const RecurrentDirection& direction,
                                  Tensor* h) {
  if (direction.projection == nullptr) return h;
  std::vector<Tensor*> operands = {h, direction.projection};
  if (direction.projection_bias != nullptr) operands.push_back(direction.projection_bias);
  ASSIGN_OR_RETURN(Tensor * projected,
                   emitter.Emit("fully_connected", std::move(operands), {}, ".projection"));
  return Clipped(emitter, projected, direction.projection_clip, ".projection");
}

// The hidden gate's share of the state: reset before the product, or after it.
absl::StatusOr<Tensor*> ResetState(OpEmitter& emitter, const RecurrentDirection& direction,
                                   Tensor* product, Tensor* reset, Tensor* h) {
  if (direction.reset == GruReset::kProduct) {
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

absl::StatusOr<Tensor*> RecurrentPart(OpEmitter& emitter, Tensor* x, int64_t index, int64_t size,
                                      absl::string_view suffix) {
  std::vector<int64_t> starts(x->type.shape.rank(), 0), sizes = x->type.shape.dims();
  starts.back() = index * size;
  sizes.back() = size;
  return emitter.Emit("slice", {x}, {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}},
                      suffix);
}

absl::StatusOr<Tensor*> RecurrentRow(OpEmitter& emitter, Tensor* x, int64_t index,
                                     absl::string_view suffix) {
  std::vector<int64_t> starts(x->type.shape.rank(), 0), sizes = x->type.shape.dims();
  starts[0] = index;
  sizes[0] = 1;
  std::vector<int64_t> dims(sizes.begin() + 1, sizes.end());
  ASSIGN_OR_RETURN(
      Tensor * row,
      emitter.Emit("slice", {x}, {{"starts", std::move(starts)}, {"sizes", sizes}}, suffix));
  return emitter.Reshape(row, std::move(dims), suffix);
}

absl::StatusOr<Tensor*> RecurrentProduct(OpEmitter& emitter, const RecurrentDirection& direction,
                                         Tensor* h) {
  ASSIGN_OR_RETURN(Tensor * y,
                   emitter.Emit("matmul", {h, direction.recurrence}, {}, ".recurrence"));
  if (direction.recurrence_bias == nullptr) return y;
  return emitter.Emit("add", {y, direction.recurrence_bias}, {}, ".recurrence");
}

absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state) {
  ASSIGN_OR_RETURN(Tensor * product, RecurrentProduct(emitter, direction, state.h));
  ASSIGN_OR_RETURN(Tensor * gates, emitter.Emit("add", {input, product}, {}, ".gates"));
  Tensor *in = nullptr, *forget = nullptr;
  if (direction.coupled != CoupledGate::kInput) {
    ASSIGN_OR_RETURN(in, LstmGate(emitter, direction, gates, 0, state.c));
  }
  if (direction.coupled != CoupledGate::kForget) {
    ASSIGN_OR_RETURN(forget, LstmGate(emitter, direction, gates, 2, state.c));
  } else {
    ASSIGN_OR_RETURN(forget, Complement(emitter, in, ".forget"));
  }
  if (direction.coupled == CoupledGate::kInput) {
    ASSIGN_OR_RETURN(in, Complement(emitter, forget, ".input"));
  }
  ASSIGN_OR_RETURN(Tensor * cell, LstmGate(emitter, direction, gates, kCellGate, state.c));
  ASSIGN_OR_RETURN(Tensor * kept, emitter.Emit("mul", {forget, state.c}, {}, ".kept"));
  ASSIGN_OR_RETURN(Tensor * added, emitter.Emit("mul", {in, cell}, {}, ".added"));
  RecurrentState next;
  ASSIGN_OR_RETURN(next.c, emitter.Emit("add", {kept, added}, {}, ".c"));
  ASSIGN_OR_RETURN(next.c, Clipped(emitter, next.c, direction.cell_clip, ".c"));
  ASSIGN_OR_RETURN(Tensor * out, LstmGate(emitter, direction, gates, 1, next.c));
  ASSIGN_OR_RETURN(Tensor * shown, direction.functions[2](emitter, next.c));
  ASSIGN_OR_RETURN(next.h, emitter.Emit("mul", {out, shown}, {}, ".h"));
  ASSIGN_OR_RETURN(next.h, Projected(emitter, direction, next.h));
  return next;
}

absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  const int64_t size = direction.hidden;
  ASSIGN_OR_RETURN(Tensor * product, RecurrentProduct(emitter, direction, state.h));
  Tensor* gates[2];  // update, reset
  for (int64_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(Tensor * of_input, RecurrentPart(emitter, input, i, size, ".gate"));
    ASSIGN_OR_RETURN(Tensor * of_state, RecurrentPart(emitter, product, i, size, ".gate"));
    ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {of_input, of_state}, {}, ".gate"));
    ASSIGN_OR_RETURN(gates[i], direction.functions[0](emitter, sum));
  }
  ASSIGN_OR_RETURN(Tensor * of_state, ResetState(emitter, direction, product, gates[1], state.h));
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

absl::StatusOr<RecurrentState> RnnCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  ASSIGN_OR_RETURN(Tensor * product, RecurrentProduct(emitter, direction, state.h));
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {input, product}, {}, ".gates"));
  RecurrentState next;
  ASSIGN_OR_RETURN(next.h, direction.functions[0](emitter, sum));
  return next;
}

}  // namespace synap_internal
