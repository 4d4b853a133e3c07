#include "compiler/graph/passes/float_outputs.h"

#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/output_tail.h"
#include "compiler/graph/passes/replace_op.h"

namespace synap_internal {

absl::StatusOr<int> FloatOutputs(Graph& graph) {
  const OutputTail tail(graph);
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
