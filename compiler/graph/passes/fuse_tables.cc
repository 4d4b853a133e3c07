#include "compiler/graph/passes/fuse_tables.h"

#include <vector>

#include "compiler/graph/passes/epilogue.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

bool CanHoldTable(const Op& op) { return op.def->epilogue && IsEpilogueEmpty(op); }

}  // namespace

absl::StatusOr<int> FuseTables(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (!op->def->is_lookup()) continue;
    Tensor* index = op->inputs[0];
    Op* linear = index->producer;
    if (linear == nullptr || !CanHoldTable(*linear) || !HasSingleUse(graph, index)) continue;
    linear->attributes["table_scale"] = index->type.quant.scale();
    linear->attributes["table_zero_point"] = int64_t{index->type.quant.zero_point()};
    graph.SetInput(linear, 3, op->inputs[1]);
    index->type.quant = op->output()->type.quant;
    linear->origins = JoinOrigins(*linear, *op);
    ReplaceOp(graph, op, index);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
