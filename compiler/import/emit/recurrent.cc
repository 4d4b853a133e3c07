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
Emitted Product(OpEmitter& emitter, const RecurrentDirection& direction, const Emitted& h) {
  const Emitted y = emitter.Emit("matmul", {h, direction.recurrence}, {}, ".recurrence");
  if (!IsGiven(direction.recurrence_bias)) return y;
  return emitter.Emit("add", {y, direction.recurrence_bias}, {}, ".recurrence");
}

Emitted Clipped(OpEmitter& emitter, const Emitted& x, float limit, absl::string_view suffix) {
  if (limit <= 0) return x;
  return emitter.Emit("clip", {x}, {{"min", -limit}, {"max", limit}}, suffix);
}

// Activation `index` of the gate x.
Emitted Activated(OpEmitter& emitter, const RecurrentDirection& direction, size_t index,
                  const Emitted& x) {
  return direction.functions[index].Emit(emitter,
                                         Clipped(emitter, x, direction.gate_clip, ".gate"));
}

// Gate `index` of the sum of both products; all gates but the cell's may have a peephole at the
// cell state.
Emitted LstmGate(OpEmitter& emitter, const RecurrentDirection& direction, const Emitted& gates,
                 int64_t index, const Emitted& c) {
  Emitted gate = RecurrentPart(emitter, gates, index, direction.hidden, ".gate");
  if (IsGiven(direction.peepholes) && index != kCellGate) {
    const Emitted weights =
        RecurrentPart(emitter, direction.peepholes, index, direction.hidden, ".peephole");
    const Emitted seen = emitter.Emit("mul", {c, weights}, {}, ".peephole");
    gate = emitter.Emit("add", {gate, seen}, {}, ".gate");
  }
  return Activated(emitter, direction, index == kCellGate ? 1 : 0, gate);
}

// Gate `index` of the products of input and state.
Emitted GruGate(OpEmitter& emitter, const RecurrentDirection& direction, Tensor* input,
                const Emitted& product, int64_t index) {
  const int64_t size = direction.hidden;
  const Emitted of_input = RecurrentPart(emitter, input, index, size, ".gate");
  const Emitted of_state = RecurrentPart(emitter, product, index, size, ".gate");
  return Activated(emitter, direction, 0, emitter.Emit("add", {of_input, of_state}, {}, ".gate"));
}

// 1 - gate
Emitted Complement(OpEmitter& emitter, const Emitted& gate, absl::string_view suffix) {
  return emitter.Emit("sub", {emitter.Scalar(1, ".one"), gate}, {}, suffix);
}

Emitted Projected(OpEmitter& emitter, const RecurrentDirection& direction, const Emitted& h) {
  if (!IsGiven(direction.projection)) return h;
  const Emitted y =
      emitter.Emit("fully_connected", WithBias(h, direction.projection, direction.projection_bias),
                   {}, ".projection");
  return Clipped(emitter, y, direction.projection_clip, ".projection");
}

// The hidden gate's share of the state: reset before the product, or after it.
Emitted ResetState(OpEmitter& emitter, const RecurrentDirection& direction, const Emitted& product,
                   const Emitted& reset, Tensor* h) {
  const auto hidden_of = [&](const Emitted& gates) {
    return RecurrentPart(emitter, gates, 2, direction.hidden, ".hidden");
  };
  if (direction.reset == GruReset::kProduct) {
    return emitter.Emit("mul", {reset, hidden_of(product)}, {}, ".hidden");
  }
  const Emitted kept = emitter.Emit("mul", {reset, h}, {}, ".kept");
  RecurrentDirection hidden_gate = direction;
  hidden_gate.recurrence = hidden_of(direction.recurrence);
  if (IsGiven(direction.recurrence_bias)) {
    hidden_gate.recurrence_bias = hidden_of(direction.recurrence_bias);
  }
  return Product(emitter, hidden_gate, kept);
}

// bool [batch, 1]: the element's sequence has no step t. Null if all sequences have it.
Tensor* IsOver(OpEmitter& emitter, const RecurrentRun& run, int64_t t) {
  std::vector<uint8_t> over;
  for (const int64_t length : run.lengths) over.push_back(t >= length);
  if (std::find(over.begin(), over.end(), 1) == over.end()) return nullptr;
  const Shape shape({static_cast<int64_t>(over.size()), 1});
  return emitter.Bools(shape, std::move(over), ".over");
}

// `next` for the batch elements whose sequence isn't over, `old` for the others.
Emitted Unless(OpEmitter& emitter, Tensor* over, Tensor* old, Tensor* next) {
  return over == nullptr ? next : emitter.Emit("where", {over, old, next}, {}, ".running");
}

// Runs step t. Returns its output.
Emitted RunStep(OpEmitter& emitter, Tensor* nothing, int64_t t, RecurrentRun& run) {
  ASSIGN_OR_RETURN(Tensor * input, EmitRow(emitter, run.products, t, ".step"));
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

Emitted RecurrentPart(OpEmitter& emitter, const Emitted& x, int64_t index, int64_t size,
                      absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  return EmitAxisSlice(emitter, x, (*x)->type.shape.rank() - 1, index * size, size, suffix);
}

absl::StatusOr<RecurrentState> LstmCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                        Tensor* input, const RecurrentState& state) {
  const Emitted gates =
      emitter.Emit("add", {input, Product(emitter, direction, state.h)}, {}, ".gates");
  const auto gate = [&](int64_t index) {
    return LstmGate(emitter, direction, gates, index, state.c);
  };
  Emitted in = nullptr;
  if (direction.coupled != CoupledGate::kInput) in = gate(0);
  const Emitted forget =
      direction.coupled == CoupledGate::kForget ? Complement(emitter, in, ".forget") : gate(2);
  if (direction.coupled == CoupledGate::kInput) in = Complement(emitter, forget, ".input");
  const Emitted cell = gate(kCellGate);
  const Emitted kept = emitter.Emit("mul", {forget, state.c}, {}, ".kept");
  const Emitted added = emitter.Emit("mul", {in, cell}, {}, ".added");
  const Emitted c =
      Clipped(emitter, emitter.Emit("add", {kept, added}, {}, ".c"), direction.cell_clip, ".c");
  const Emitted out = LstmGate(emitter, direction, gates, 1, c);
  const Emitted shown = direction.functions[2].Emit(emitter, c);
  ASSIGN_OR_RETURN(Tensor * h,
                   Projected(emitter, direction, emitter.Emit("mul", {out, shown}, {}, ".h")));
  return RecurrentState{h, *c};
}

absl::StatusOr<RecurrentState> GruCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  const Emitted product = Product(emitter, direction, state.h);
  const Emitted update = GruGate(emitter, direction, input, product, 0);
  const Emitted reset = GruGate(emitter, direction, input, product, 1);
  const Emitted of_state = ResetState(emitter, direction, product, reset, state.h);
  const Emitted of_input = RecurrentPart(emitter, input, 2, direction.hidden, ".hidden");
  const Emitted hidden =
      Activated(emitter, direction, 1, emitter.Emit("add", {of_input, of_state}, {}, ".hidden"));
  // (1 - update) * hidden + update * h
  Emitted change = emitter.Emit("sub", {state.h, hidden}, {}, ".change");
  change = emitter.Emit("mul", {update, change}, {}, ".change");
  ASSIGN_OR_RETURN(Tensor * h, emitter.Emit("add", {hidden, change}, {}, ".h"));
  return RecurrentState{h};
}

absl::StatusOr<RecurrentState> RnnCell(OpEmitter& emitter, const RecurrentDirection& direction,
                                       Tensor* input, const RecurrentState& state) {
  const Emitted gates =
      emitter.Emit("add", {input, Product(emitter, direction, state.h)}, {}, ".gates");
  ASSIGN_OR_RETURN(Tensor * h, Activated(emitter, direction, 0, gates));
  return RecurrentState{h};
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

Emitted ZeroState(OpEmitter& emitter, const Shape& shape) {
  return emitter.Zeros({DataType::kFloat32, shape, {}}, ".initial");
}

Emitted InputProducts(OpEmitter& emitter, const Emitted& x, const Emitted& weights,
                      const Emitted& bias, int64_t steps, absl::string_view suffix) {
  Emitted y = emitter.Emit("matmul", {x, weights}, {}, suffix);
  if (IsGiven(bias)) y = emitter.Emit("add", {y, bias}, {}, suffix);
  RETURN_IF_ERROR(y.status());
  const Shape& s = (*y)->type.shape;
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
