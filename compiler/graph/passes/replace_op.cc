#include "compiler/graph/passes/replace_op.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

// The ops from `x`, without what makes it, to `last`.
std::set<const Op*> OpsBetween(const Tensor& x, const Op& last) {
  std::set<const Op*> between;
  std::vector<const Op*> next = {&last};
  while (!next.empty()) {
    const Op* op = next.back();
    next.pop_back();
    if (op == nullptr || !between.insert(op).second) continue;
    for (const Tensor* operand : op->inputs) {
      if (operand != nullptr && operand != &x) next.push_back(operand->producer);
    }
  }
  return between;
}

// The op whose output leaves the network becomes a copy of `source`; all other readers of that
// output read `source` itself.
void MakeCopy(Graph& graph, Op* op, Tensor* source) {
  Tensor* copy = op->output();
  const std::vector<Tensor*> outputs = graph.outputs;
  graph.ReplaceUses(copy, source);
  graph.outputs = outputs;
  while (op->inputs.size() > 1) {
    graph.SetInput(op, op->inputs.size() - 1, nullptr);
    op->inputs.pop_back();
  }
  graph.SetInput(op, 0, source);
  op->def = FindOp("reshape");
  CHECK(op->def != nullptr);
  op->attributes = {{"shape", source->type.shape.dims()}};
  copy->type = source->type;
}

}  // namespace

void ReplaceOp(Graph& graph, Op* old_op, Tensor* replacement) {
  Tensor* old_output = old_op->output();
  CHECK(old_op->outputs.size() == 1 && old_output->type.shape == replacement->type.shape);
  const bool keeps_name = replacement->producer == nullptr || graph.IsOutput(replacement);
  if (keeps_name && graph.IsOutput(old_output)) {
    MakeCopy(graph, old_op, replacement);
    return;
  }
  graph.ReplaceUses(old_output, replacement);
  std::string name = old_output->name;
  graph.RemoveOp(old_op);
  if (!keeps_name) graph.Rename(replacement, std::move(name));
}

void AddOrigins(const Op& op, std::vector<std::string>& joined) {
  for (const std::string& origin : op.origins) {
    if (std::find(joined.begin(), joined.end(), origin) == joined.end()) joined.push_back(origin);
  }
}

std::vector<std::string> JoinOrigins(const Op& a, const Op& b) {
  std::vector<std::string> joined = a.origins;
  AddOrigins(b, joined);
  return joined;
}

std::vector<std::string> JoinOriginsBetween(const Graph& graph, const Tensor& x, const Op& last) {
  const std::set<const Op*> between = OpsBetween(x, last);
  std::set<const Op*> replaced = {&last};
  const auto is_needed_there = [&](const Op& op) {
    const std::vector<Op*>& users = op.output()->users;
    return !graph.IsOutput(op.output()) &&
           std::all_of(users.begin(), users.end(),
                       [&](const Op* user) { return replaced.count(user) > 0; });
  };
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    if (between.count(&*op) > 0 && is_needed_there(*op)) replaced.insert(&*op);
  }
  std::vector<std::string> origins;
  for (const Op& op : graph.ops()) {
    if (replaced.count(&op) > 0) AddOrigins(op, origins);
  }
  return origins;
}

}  // namespace synap_internal
