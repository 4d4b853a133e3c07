#include "compiler/passes/float_outputs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/passes/rewrite.h"

namespace synap {
namespace {

bool IsQuantizedLinear(const Op& op) {
  const bool listed = op.Is("conv2d") || op.Is("depthwise_conv2d") || op.Is("fully_connected");
  return listed && op.inputs[0]->type.dtype == DataType::kUint8 && op.inputs[1]->is_constant() &&
         op.input(3) == nullptr && (op.input(2) == nullptr || op.input(2)->is_constant());
}

// From the op whose output `tensor` is, up to a linear op: those that move data,
// last first, and the linear op; empty if something else comes in between.
std::vector<Op*> ChainTo(const Graph& graph, const Tensor* tensor) {
  std::vector<Op*> chain;
  for (Op* op = tensor->producer; op != nullptr && HasSingleUse(graph, op->output());
       op = op->inputs[0]->producer) {
    chain.push_back(op);
    if (IsQuantizedLinear(*op)) return chain;
    if (!MovesData(*op)) break;
  }
  return {};
}

Tensor* AddDequantized(Graph& graph, const Tensor* constant) {
  return graph.AddConstant(absl::StrCat(constant->name, ".float32"),
                           {DataType::kFloat32, constant->type.shape, {}}, Dequantized(*constant));
}

absl::Status Rewrite(Graph& graph, Op* dequantize, const std::vector<Op*>& chain) {
  Op* linear = chain.back();
  ASSIGN_OR_RETURN(Op * input,
                   graph.AddInferredOp("dequantize", {linear->inputs[0]}, {}, linear->origins,
                                       absl::StrCat(linear->output()->name, ".input"), linear));
  std::vector<Tensor*> operands = {input->output(), AddDequantized(graph, linear->inputs[1])};
  if (linear->input(2) != nullptr) operands.push_back(AddDequantized(graph, linear->inputs[2]));
  ASSIGN_OR_RETURN(Op * computed,
                   graph.AddInferredOp(linear->def->name, std::move(operands), linear->attributes,
                                       linear->origins, linear->output()->name, linear));
  ReplaceOp(graph, linear, computed->output());
  Tensor* result = computed->output();
  for (size_t i = chain.size() - 1; i-- > 0;) {
    result = chain[i]->output();
    result->type.dtype = DataType::kFloat32;
    result->type.quant = {};
  }
  ReplaceOp(graph, dequantize, result);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> FloatOutputs(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (!op->Is("dequantize") || !graph.IsOutput(op->output())) continue;
    const std::vector<Op*> chain = ChainTo(graph, op->inputs[0]);
    if (chain.empty()) continue;
    RETURN_IF_ERROR(Rewrite(graph, op, chain));
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap
