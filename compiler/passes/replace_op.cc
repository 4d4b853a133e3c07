#include "compiler/passes/replace_op.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

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

}  // namespace

void ReplaceOp(Graph& graph, Op* old_op, Tensor* replacement) {
  Tensor* old_output = old_op->output();
  CHECK(old_op->outputs.size() == 1 && old_output->type.shape == replacement->type.shape);
  graph.ReplaceUses(old_output, replacement);
  std::string name = old_output->name;
  graph.RemoveOp(old_op);
  if (replacement->producer != nullptr) graph.Rename(replacement, std::move(name));
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
