#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {

bool HasSingleUse(const Graph& graph, const Tensor* tensor) {
  return tensor->users.size() == 1 && !graph.IsOutput(tensor);
}

void ReleaseUnread(const Graph& graph, Tensor* tensor) {
  const bool unread = tensor != nullptr && tensor->users.empty() && !graph.IsOutput(tensor);
  if (unread) tensor->constant.reset();
}

}  // namespace synap_internal
