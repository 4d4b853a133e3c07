#include "compiler/graph/passes/output_tail.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// Whether its operands that flow, and aren't indices, are bytes.
bool ReadsBytes(const Op& op) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor* operand = op.inputs[i];
    if (RoleOf(op, i) == OperandRole::kIndex) continue;
    if (operand->is_constant() ? !operand->type.quant.quantized() : !IsByte(*operand)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsByte(const Tensor& tensor) {
  return tensor.type.dtype == DataType::kUint8 && tensor.type.quant.quantized();
}

bool IsQuantizedSum(const Op& op) {
  const bool listed = op.def->is_weighted_sum() && !op.Is(LinearForm::kTransposed);
  return listed && IsByte(*op.inputs[0]) && op.inputs[1]->is_constant() && op.input(3) == nullptr &&
         (op.input(2) == nullptr || op.input(2)->is_constant());
}

bool MovesOrJoins(const Op& op) { return op.Is(Movement::kConcat) || MovesData(op); }

OutputTail::OutputTail(const Graph& graph) {
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    if (op->Is(TypeConversion::kDequantize) && LeadsOut(graph, *op->output())) {
      ends_.insert(&*op);
    } else if (IsQuantizedSum(*op) ? OnlyReadHere(graph, *op) : Continues(graph, *op)) {
      ops_.insert(&*op);
    }
  }
  // Ops that only move integers stay: wider ones would be more bytes.
  for (const Op& op : graph.ops()) {
    if (!Gains(op)) ops_.erase(&op);
  }
}

// No reader of `tensor`, direct or not, quantizes again, and an output depends on it.
bool OutputTail::LeadsOut(const Graph& graph, const Tensor& tensor) const {
  const auto reads_float = [&](const Op* user) { return float_users_.count(user) > 0; };
  return std::all_of(tensor.users.begin(), tensor.users.end(), reads_float) &&
         (graph.IsOutput(&tensor) || !tensor.users.empty());
}

bool OutputTail::OnlyReadHere(const Graph& graph, const Op& op) const {
  if (!IsByte(*op.output()) || graph.IsOutput(op.output())) return false;
  const auto reads_in_tail = [&](const Op* user) {
    return ends_.count(user) > 0 || (ops_.count(user) > 0 && !IsQuantizedSum(*user));
  };
  const std::vector<Op*>& users = op.output()->users;
  return !users.empty() && std::all_of(users.begin(), users.end(), reads_in_tail);
}

// Also notes ops that are float already and lead to outputs only.
bool OutputTail::Continues(const Graph& graph, const Op& op) {
  const auto is_float = [](const Tensor* t) { return t->type.dtype == DataType::kFloat32; };
  if (std::all_of(op.outputs.begin(), op.outputs.end(), is_float) &&
      std::all_of(op.outputs.begin(), op.outputs.end(),
                  [&](const Tensor* t) { return LeadsOut(graph, *t); })) {
    float_users_.insert(&op);
    return false;
  }
  return (op.def->stays_real || MovesOrJoins(op)) && OnlyReadHere(graph, op) && ReadsBytes(op);
}

bool OutputTail::Gains(const Op& op) const {
  if (!MovesOrJoins(op)) return true;
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const Tensor* operand) { return Has(operand->producer); });
}

Tensor* BeforeRounding(Tensor* operand) {
  // Bytes made of 16 bits or of real numbers for one op alone would only be coarser.
  const Op* producer = operand->producer;
  const bool rounded = producer != nullptr && producer->Is(TypeConversion::kQuantize) &&
                       producer->inputs[0]->type.dtype == DataType::kFloat32;
  const bool narrowed = producer != nullptr && producer->Is(TypeConversion::kRequantize) &&
                        producer->inputs[0]->type.dtype == DataType::kInt16;
  return rounded || narrowed ? producer->inputs[0] : operand;
}

absl::StatusOr<Tensor*> RealOperands::Of(Op& op, Tensor* operand) {
  if (operand == nullptr || !operand->type.quant.quantized()) return operand;
  operand = BeforeRounding(operand);
  if (!operand->type.quant.quantized()) return operand;
  Tensor*& real = made_[operand];
  if (real != nullptr) return real;
  if (operand->is_constant()) {
    real = graph_.AddConstant(absl::StrCat(operand->name, ".float32"),
                              {DataType::kFloat32, operand->type.shape, {}}, Dequantized(*operand));
    return real;
  }
  ASSIGN_OR_RETURN(Op * dequantize,
                   graph_.AddInferredOp("dequantize", {operand}, {}, op.origins,
                                        absl::StrCat(op.output()->name, ".input"), &op));
  real = dequantize->output();
  return real;
}

}  // namespace synap_internal
