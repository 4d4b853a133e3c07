#include "compiler/import/emit/recurrent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

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

RecurrentFunction RecurrentActivation(absl::string_view op) {
  return [op](OpEmitter& emitter, Tensor* x) { return emitter.Emit(op, {x}, {}, ".activation"); };
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
