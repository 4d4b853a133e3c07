#include "compiler/passes/replace_op.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace synap_internal {

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

}  // namespace synap_internal
