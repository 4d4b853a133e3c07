#include "compiler/graph/passes/remove_identities.h"

#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/permutation.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {
namespace {

bool ChangesNothing(const Op& op) {
  const TensorType& in = op.inputs[0]->type;
  const TensorType& out = op.output()->type;
  if (in.shape != out.shape || in.dtype != out.dtype || in.quant != out.quant) return false;
  return op.def->is_identity != nullptr && op.def->is_identity(InputTypes(op), op.attributes);
}

// The tensor before all reshapes that lead to `tensor`.
Tensor* SourceOfReshapes(Tensor* tensor) {
  while (tensor->producer != nullptr && tensor->producer->Is(Movement::kReshape)) {
    tensor = tensor->producer->inputs[0];
  }
  return tensor;
}

absl::StatusOr<bool> Simplify(Graph& graph, Op* op) {
  if (ChangesNothing(*op)) {
    // An output stays an op if its operand can't take its name over.
    Tensor* input = op->inputs[0];
    const bool is_end =
        graph.IsOutput(op->output()) && (input->producer == nullptr || graph.IsOutput(input));
    if (is_end) return false;
    ReplaceOp(graph, op, input);
    return true;
  }
  if (op->Is(Movement::kTranspose) &&
      KeepsElementOrder(op->inputs[0]->type.shape, IntsAttribute(*op, "perm"))) {
    ASSIGN_OR_RETURN(Op * reshape, graph.AddInferredOp("reshape", {op->inputs[0]},
                                                       {{"shape", op->output()->type.shape.dims()}},
                                                       op->origins, op->output()->name, op));
    reshape->output()->type = op->output()->type;
    ReplaceOp(graph, op, reshape->output());
    return true;
  }
  if (op->Is(Movement::kReshape)) {
    Tensor* source = SourceOfReshapes(op->inputs[0]);
    if (source == op->inputs[0]) return false;
    graph.SetInput(op, 0, source);
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<int> RemoveIdentities(Graph& graph) {
  int rewrites = 0;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Op*> order;
    for (Op& op : graph.ops()) order.push_back(&op);
    for (Op* op : order) {
      ASSIGN_OR_RETURN(const bool simplified, Simplify(graph, op));
      rewrites += simplified;
      changed |= simplified;
    }
    graph.RemoveDead();
  }
  return rewrites;
}

}  // namespace synap_internal
