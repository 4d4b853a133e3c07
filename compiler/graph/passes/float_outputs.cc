#include "compiler/graph/passes/float_outputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

bool IsByte(const Tensor& tensor) {
  return tensor.type.dtype == DataType::kUint8 && tensor.type.quant.quantized();
}

// A weighted sum over bytes that can stop rounding its sums. Transposed convolutions keep doing it.
bool IsQuantizedSum(const Op& op) {
  const bool listed = op.def->is_weighted_sum() && !op.Is(LinearForm::kTransposed);
  return listed && IsByte(*op.inputs[0]) && op.inputs[1]->is_constant() && op.input(3) == nullptr &&
         (op.input(2) == nullptr || op.input(2)->is_constant());
}

bool MovesOrJoins(const Op& op) { return op.Is(Movement::kConcat) || MovesData(op); }

// The ops at the graph's end that become float.
class Tail {
 public:
  explicit Tail(const Graph& graph) {
    for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
      if (op->Is(TypeConversion::kDequantize) && LeadsOut(graph, *op->output())) {
        ends_.insert(&*op);
      } else if (IsQuantizedSum(*op) ? OnlyReadHere(graph, *op) : Continues(graph, *op)) {
        ops_.insert(&*op);
      }
    }
    // Ops that only move integers stay: float32 would be four times the bytes.
    for (const Op& op : graph.ops()) {
      if (!Gains(op)) ops_.erase(&op);
    }
  }

  bool empty() const { return ops_.empty(); }
  bool Has(const Op* op) const { return ops_.count(op) > 0; }
  bool Ends(const Op& dequantize) const {
    return ends_.count(&dequantize) > 0 && Has(dequantize.inputs[0]->producer);
  }

 private:
  // No reader of `tensor`, direct or not, quantizes again, and an output depends on it.
  bool LeadsOut(const Graph& graph, const Tensor& tensor) const {
    const auto reads_float = [&](const Op* user) { return float_users_.count(user) > 0; };
    return std::all_of(tensor.users.begin(), tensor.users.end(), reads_float) &&
           (graph.IsOutput(&tensor) || !tensor.users.empty());
  }

  bool OnlyReadHere(const Graph& graph, const Op& op) const {
    if (!IsByte(*op.output()) || graph.IsOutput(op.output())) return false;
    const auto reads_in_tail = [&](const Op* user) {
      return ends_.count(user) > 0 || (ops_.count(user) > 0 && !IsQuantizedSum(*user));
    };
    const std::vector<Op*>& users = op.output()->users;
    return !users.empty() && std::all_of(users.begin(), users.end(), reads_in_tail);
  }

  // Also notes ops that are float already and lead to outputs only.
  bool Continues(const Graph& graph, const Op& op) {
    const auto is_float = [](const Tensor* t) { return t->type.dtype == DataType::kFloat32; };
    if (std::all_of(op.outputs.begin(), op.outputs.end(), is_float) &&
        std::all_of(op.outputs.begin(), op.outputs.end(),
                    [&](const Tensor* t) { return LeadsOut(graph, *t); })) {
      float_users_.insert(&op);
      return false;
    }
    return (op.def->stays_real || MovesOrJoins(op)) && OnlyReadHere(graph, op) && ReadsBytes(op);
  }

  // Its operands that flow and aren't indices.
  static bool ReadsBytes(const Op& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* operand = op.inputs[i];
      if (RoleOf(op, i) == OperandRole::kIndex) continue;
      if (operand->is_constant() ? !operand->type.quant.quantized() : !IsByte(*operand)) {
        return false;
      }
    }
    return true;
  }

  bool Gains(const Op& op) const {
    if (!MovesOrJoins(op)) return true;
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](const Tensor* operand) { return Has(operand->producer); });
  }

  std::set<const Op*> ops_, ends_, float_users_;
};

// Gives the operands of the tail's ops as real numbers.
class RealOperands {
 public:
  explicit RealOperands(Graph& graph) : graph_(graph) {}

  absl::StatusOr<Tensor*> Of(Op& op, Tensor* operand) {
    if (operand == nullptr || !operand->type.quant.quantized()) return operand;
    // Bytes made of 16 bits or of real numbers for this op alone would only be coarser.
    const Op* producer = operand->producer;
    const bool rounded = producer != nullptr && producer->Is(TypeConversion::kQuantize) &&
                         producer->inputs[0]->type.dtype == DataType::kFloat32;
    if (rounded) return producer->inputs[0];
    const bool narrowed = producer != nullptr && producer->Is(TypeConversion::kRequantize) &&
                          producer->inputs[0]->type.dtype == DataType::kInt16;
    if (narrowed) operand = producer->inputs[0];
    Tensor*& real = made_[operand];
    if (real != nullptr) return real;
    if (operand->is_constant()) {
      real =
          graph_.AddConstant(absl::StrCat(operand->name, ".float32"),
                             {DataType::kFloat32, operand->type.shape, {}}, Dequantized(*operand));
      return real;
    }
    ASSIGN_OR_RETURN(Op * dequantize,
                     graph_.AddInferredOp("dequantize", {operand}, {}, op.origins,
                                          absl::StrCat(op.output()->name, ".input"), &op));
    real = dequantize->output();
    return real;
  }

 private:
  Graph& graph_;
  std::map<const Tensor*, Tensor*> made_;
};

}  // namespace

absl::StatusOr<int> FloatOutputs(Graph& graph) {
  const Tail tail(graph);
  if (tail.empty()) return 0;
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  RealOperands operands(graph);
  int rewrites = 0;
  for (Op* op : order) {
    if (tail.Ends(*op)) {
      ReplaceOp(graph, op, op->inputs[0]);
    } else if (tail.Has(op)) {
      for (size_t i = 0; i < op->inputs.size(); ++i) {
        ASSIGN_OR_RETURN(Tensor * operand, operands.Of(*op, op->inputs[i]));
        graph.SetInput(op, i, operand);
      }
      op->output()->type = {DataType::kFloat32, op->output()->type.shape, {}};
      ++rewrites;
    }
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
