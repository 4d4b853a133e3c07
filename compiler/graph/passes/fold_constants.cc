#include "compiler/graph/passes/fold_constants.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxResultBytes = int64_t{64} << 20;

bool CanFold(const Op& op) {
  int64_t bytes = 0;
  for (const Tensor* output : op.outputs) bytes += output->type.bytes();
  return bytes <= kMaxResultBytes &&
         std::all_of(op.inputs.begin(), op.inputs.end(),
                     [](const Tensor* t) { return t == nullptr || t->is_constant(); });
}

}  // namespace

absl::StatusOr<int> FoldConstants(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    if (!CanFold(*op)) continue;
    absl::StatusOr<std::vector<Constant>> values = EvaluateOp(*op);
    if (absl::IsUnimplemented(values.status())) continue;
    RETURN_IF_ERROR(values.status());
    std::vector<std::pair<Tensor*, std::string>> leaving;  // outputs of the network, their names
    for (size_t i = 0; i < op->outputs.size(); ++i) {
      const Tensor* output = op->outputs[i];
      Tensor* constant = graph.AddConstant(output->name, output->type, std::move((*values)[i]));
      if (graph.IsOutput(output)) leaving.emplace_back(constant, output->name);
      graph.ReplaceUses(op->outputs[i], constant);
    }
    const std::vector<Tensor*> operands = op->inputs;
    graph.RemoveOp(op);
    for (auto& [constant, name] : leaving) graph.Rename(constant, std::move(name));
    for (Tensor* operand : operands) ReleaseUnread(graph, operand);
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
