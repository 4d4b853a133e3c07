#include "compiler/graph/passes/fuse_float_activations.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/graph/passes/epilogue.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"
#include "kernels/unary/unary.h"

namespace synap_internal {
namespace {

bool IsFloatFunction(const Op& op) {
  return op.inputs.size() == 1 && op.output()->type.dtype == DataType::kFloat32 &&
         FloatUnary(op.def->name, op.attributes).ok();
}

}  // namespace

absl::StatusOr<int> FuseFloatActivations(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (!IsFloatFunction(*op)) continue;
    Tensor* sum = op->inputs[0];
    Op* linear = sum->producer;
    if (linear == nullptr || !linear->def->epilogue || !IsEpilogueEmpty(*linear) ||
        !HasSingleUse(graph, sum)) {
      continue;
    }
    linear->attributes["activation"] = std::string(op->def->name);
    for (const auto& [name, value] : op->attributes) {
      linear->attributes[absl::StrCat("activation_", name)] = value;
    }
    linear->origins = JoinOrigins(*linear, *op);
    ReplaceOp(graph, op, sum);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
