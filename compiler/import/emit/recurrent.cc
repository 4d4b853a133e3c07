#include "compiler/import/emit/recurrent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/slice.h"

namespace synap_internal {
namespace {

constexpr int64_t kCellGate = 3;

// h times the recurrence weights, with their bias.
absl::StatusOr<Tensor*> Product(OpEmitter& emitter, const RecurrentDirection& direction,
                                Tensor* h) {
  ASSIGN_OR_RETURN(Tensor * y,
                   emitter.Emit("matmul", {h, direction.recurrence}, {}, ".recurrence"));
  if (direction.recurrence_bias == nullptr) return y;
  return emitter.Emit("add", {y, direction.recurrence_bias}, {}, ".recurrence");
}

absl::StatusOr<Tensor*> Clipped(OpEmitter& emitter, Tensor* x, float limit,
                                absl::string_view suffix) {
  if (limit <= 0) return x;
  return emitter.Emit("clip", {x}, {{"min", -limit}, {"max", limit}}, suffix);
}

// Activation `index` of the gate x.
absl::StatusOr<Tensor*> Activated(OpEmitter& emitter, const RecurrentDirection& direction,
                                  size_t index, Tensor* x) {
  ASSIGN_OR_RETURN(x, Clipped(emitter, x, direction.gate_clip, ".gate"));
  return direction.functions[index].Emit(emitter, x);
}

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
  return Activated(emitter, direction, index == kCellGate ? 1 : 0, gate);
}

// Gate `index` of the products of input and state.
absl::StatusOr<Tensor*> GruGate(OpEmitter& emitter, const RecurrentDirection& direction,
                                Tensor* input, Tensor* product, int64_t index) {
  const int64_t size = direction.hidden;
  ASSIGN_OR_RETURN(Tensor * of_input, RecurrentPart(emitter, input, index, size, ".gate"));
  ASSIGN_OR_RETURN(Tensor * of_state, RecurrentPart(emitter, product, index, size, ".gate"));
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {of_input, of_state}, {}, ".gate"));
  return Activated(emitter, direction, 0, sum);
}

// 1 - gate
absl::StatusOr<Tensor*> Complement(OpEmitter& emitter, Tensor* gate, absl::string_view suffix) {
  return emitter.Emit("sub", {emitter.Scalar(1, ".one"), gate}, {}, suffix);
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
  return Product(emitter, hidden_gate, kept);
}

// bool [batch, 1]: the element's sequence has no step t. Null if all sequences have it.
Tensor* IsOver(OpEmitter& emitter, const RecurrentRun& run, int64_t t) {
  std::vector<uint8_t> over;
  for (const int64_t length : run.lengths) over.push_back(t >= length);
  if (std::find(over.begin(), over.end(), 1) == over.end()) return nullptr;
  const Shape shape({static_cast<int64_t>(over.size()), 1});
  return emitter.builder().graph().AddConstant(emitter.Name(".over"), {DataType::kBool, shape, {}},
                                               Constant::Own(std::move(over)));
}

// `next` for the batch elements whose sequence isn't over, `old` for the others.
absl::StatusOr<Tensor*> Unless(OpEmitter& emitter, Tensor* over, Tensor* old, Tensor* next) {
  return over == nullptr ? next : emitter.Emit("where", {over, old, next}, {}, ".running");
}

// Runs step t. Returns its output.
absl::StatusOr<Tensor*> RunStep(OpEmitter& emitter, Tensor* nothing, int64_t t, RecurrentRun& run) {
  ASSIGN_OR_RETURN(Tensor * input, RecurrentRow(emitter, run.products, t, ".step"));
  ASSIGN_OR_RETURN(RecurrentState next, run.cell(emitter, run.direction, input, run.state));
  Tensor* over = IsOver(emitter, run, t);
  ASSIGN_OR_RETURN(Tensor * shown, Unless(emitter, over, nothing, next.h));
  ASSIGN_OR_RETURN(run.state.h, Unless(emitter, over, run.state.h, next.h));
  if (next.c != nullptr) {
    ASSIGN_OR_RETURN(run.state.c, Unless(emitter, over, run.state.c, next.c));
  }
  if (!run.as_rows) return shown;
  const Shape& s = shown->type.shape;
  return emitter.Reshape(shown, {1, s[0], s[1]}, ".y");
}

}  // namespace

absl::StatusOr<Tensor*> RecurrentPart(OpEmitter& emitter, Tensor* x, int64_t index, int64_t size,
                                      absl::string_view suffix) {
  return EmitAxisSlice(emitter, x, x->type.shape.rank() - 1, index * size, size, suffix);
}

absl::StatusOr<Tensor*> RecurrentRow(OpEmitter& emitter, Tensor* x, int64_t index,
                                     absl::string_view suffix) {
  const std::vector<int64_t>& dims = x->type.shape.dims();
  ASSIGN_OR_RETURN(Tensor * row, EmitAxisSlice(emitter, x, 0, index, 1, suffix));
  return emitter.Reshape(row, {dims.begin() + 1, dims.end()}, suffix);
}

absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state) {
  ASSIGN_OR_RETURN(Tensor * product, Product(emitter, direction, state.h));
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
  ASSIGN_OR_RETURN(Tensor * shown, direction.functions[2].Emit(emitter, next.c));
  ASSIGN_OR_RETURN(next.h, emitter.Emit("mul", {out, shown}, {}, ".h"));
  ASSIGN_OR_RETURN(next.h, Projected(emitter, direction, next.h));
  return next;
}

absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  ASSIGN_OR_RETURN(Tensor * product, Product(emitter, direction, state.h));
  ASSIGN_OR_RETURN(Tensor * update, GruGate(emitter, direction, input, product, 0));
  ASSIGN_OR_RETURN(Tensor * reset, GruGate(emitter, direction, input, product, 1));
  ASSIGN_OR_RETURN(Tensor * of_state, ResetState(emitter, direction, product, reset, state.h));
  ASSIGN_OR_RETURN(Tensor * of_input,
                   RecurrentPart(emitter, input, 2, direction.hidden, ".hidden"));
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {of_input, of_state}, {}, ".hidden"));
  ASSIGN_OR_RETURN(Tensor * hidden, Activated(emitter, direction, 1, sum));
  // (1 - update) * hidden + update * h
  ASSIGN_OR_RETURN(Tensor * change, emitter.Emit("sub", {state.h, hidden}, {}, ".change"));
  ASSIGN_OR_RETURN(change, emitter.Emit("mul", {update, change}, {}, ".change"));
  RecurrentState next;
  ASSIGN_OR_RETURN(next.h, emitter.Emit("add", {hidden, change}, {}, ".h"));
  return next;
}

absl::StatusOr<RecurrentState> RnnCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  ASSIGN_OR_RETURN(Tensor * product, Product(emitter, direction, state.h));
  ASSIGN_OR_RETURN(Tensor * sum, emitter.Emit("add", {input, product}, {}, ".gates"));
  RecurrentState next;
  ASSIGN_OR_RETURN(next.h, Activated(emitter, direction, 0, sum));
  return next;
}

absl::Status CheckOperandShape(absl::string_view what, const Shape& found, const Shape& expected) {
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " is ", found.ToString(), ", expected ", expected.ToString()));
}

absl::Status ChargeSteps(GraphBuilder& builder, int64_t steps, int64_t runs) {
  constexpr int64_t kOpsOfStep = 32;
  // One by one first: their product must not overflow.
  RETURN_IF_ERROR(builder.ChargeOps(steps));
  RETURN_IF_ERROR(builder.ChargeOps(runs));
  return builder.ChargeOps(steps * runs * kOpsOfStep);
}

absl::StatusOr<Tensor*> ZeroState(OpEmitter& emitter, const Shape& shape) {
  const TensorType type{DataType::kFloat32, shape, {}};
  RETURN_IF_ERROR(emitter.builder().Charge(type.bytes()));
  return emitter.builder().graph().AddConstant(
      emitter.Name(".initial"), type,
      Constant::Own(std::vector<uint8_t>(static_cast<size_t>(type.bytes()), 0)));
}

absl::StatusOr<Tensor*> InputProducts(OpEmitter& emitter, Tensor* x, Tensor* weights, Tensor* bias,
                                      int64_t steps, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * y, emitter.Emit("matmul", {x, weights}, {}, suffix));
  if (bias != nullptr) {
    ASSIGN_OR_RETURN(y, emitter.Emit("add", {y, bias}, {}, suffix));
  }
  const Shape s = y->type.shape;
  return emitter.Reshape(y, {steps, s[0] / steps, s[1]}, suffix);
}

absl::StatusOr<std::vector<Tensor*>> Unroll(OpEmitter& emitter, RecurrentRun& run) {
  const int64_t steps = run.products->type.shape[0];
  Tensor* nothing = run.lengths.empty() ? nullptr : emitter.Scalar(0, ".nothing");
  std::vector<Tensor*> shown;
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = run.backwards ? steps - 1 - i : i;
    OpEmitter step = emitter.Step(run.number == nullptr ? t : run.number(i, t));
    ASSIGN_OR_RETURN(Tensor * h, RunStep(step, nothing, t, run));
    shown.push_back(h);
  }
  if (run.backwards) std::reverse(shown.begin(), shown.end());
  return shown;
}

}  // namespace synap_internal
