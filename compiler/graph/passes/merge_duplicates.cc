#include "compiler/graph/passes/merge_duplicates.h"

#include <map>
#include <tuple>
#include <vector>

namespace synap_internal {
namespace {

using Key = std::tuple<const OpDef*, std::vector<Tensor*>, Attributes>;

}  // namespace

absl::StatusOr<int> MergeDuplicates(Graph& graph) {
  std::map<Key, Op*> first;
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) {
    const auto [known, added] = first.emplace(Key{op->def, op->inputs, op->attributes}, op);
    if (added) continue;
    bool same = known->second->outputs.size() == op->outputs.size();
    for (size_t i = 0; same && i < op->outputs.size(); ++i) {
      // An output keeps its name, and types can differ where a quantizer chose.
      same = !graph.IsOutput(op->outputs[i]) &&
             op->outputs[i]->type == known->second->outputs[i]->type;
    }
    if (!same) continue;
    for (size_t i = 0; i < op->outputs.size(); ++i) {
      graph.ReplaceUses(op->outputs[i], known->second->outputs[i]);
    }
    graph.RemoveOp(op);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
