#include "compiler/import/emit/lstm_cell.h"

#include <utility>

#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr int64_t kCellGate = 3;

// Gate `index` of the sum of both products; all but the cell's have a peephole at the cell state.
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

absl::StatusOr<Tensor*> Rest(OpEmitter& emitter, Tensor* gate, absl::string_view suffix) {
  Tensor* one = emitter.builder().AddScalar(emitter.Name(".one"), 1.0f);
  return emitter.Emit("sub", {one, gate}, {}, suffix);
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
    ASSIGN_OR_RETURN(forget, Rest(emitter, in, ".forget"));
  }
  if (direction.coupled == CoupledGate::kInput) {
    ASSIGN_OR_RETURN(in, Rest(emitter, forget, ".input"));
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

}  // namespace synap_internal
