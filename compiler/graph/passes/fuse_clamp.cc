#include "compiler/graph/passes/fuse_clamp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/graph/passes/epilogue.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

bool CanHoldClamp(const Op& op) {
  return op.def->fused_clamp && IsEpilogueEmpty(op) &&
         op.output()->type.dtype == DataType::kFloat32;
}

// The clamp `after` the one that the op has, as one.
void AddClamp(Op& op, const Clamp& after) {
  const float min = FloatAttribute(op, "min", -INFINITY);
  const float max = FloatAttribute(op, "max", INFINITY);
  op.attributes["min"] = std::clamp(min, after.min, after.max);
  op.attributes["max"] = std::clamp(max, after.min, after.max);
}

}  // namespace

bool ClampResults(Op& op, float min, float max) {
  if (!CanHoldClamp(op)) return false;
  AddClamp(op, {min, max});
  return true;
}

bool FuseClampOp(Graph& graph, Op* op) {
  if (op->def->clamp == nullptr) return false;
  const Clamp clamp = op->def->clamp(op->attributes);
  Op* producer = op->inputs[0]->producer;
  if (producer == nullptr || !CanHoldClamp(*producer)) return false;
  if (!HasSingleUse(graph, op->inputs[0])) return false;
  AddClamp(*producer, clamp);
  producer->origins = JoinOrigins(*producer, *op);
  ReplaceOp(graph, op, producer->output());
  return true;
}

absl::StatusOr<int> FuseClamp(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) rewrites += FuseClampOp(graph, op);
  return rewrites;
}

}  // namespace synap_internal
