#include "compiler/graph/passes/fully_connected_from_matmul.h"

#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {

absl::StatusOr<int> FullyConnectedFromMatmul(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (!op->Is(LinearForm::kMatrices) || IntAttribute(*op, "normalize", 0) != 0) continue;
    Tensor* weights = op->inputs[1];
    if (!weights->is_constant() || weights->type.shape.rank() != 2) continue;
    // Left to constant folding, which comes next.
    ASSIGN_OR_RETURN(Op * transposed, graph.AddInferredOp("transpose", {weights},
                                                          {{"perm", std::vector<int64_t>{1, 0}}},
                                                          op->origins, weights->name, op));
    ASSIGN_OR_RETURN(Op * connected,
                     graph.AddInferredOp("fully_connected", {op->inputs[0], transposed->output()},
                                         {}, op->origins, op->output()->name, op));
    connected->output()->type = op->output()->type;
    ReplaceOp(graph, op, connected->output());
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
