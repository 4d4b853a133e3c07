#include "compiler/import/printable_names.h"

#include <utility>

#include "base/terminal_text.h"

namespace synap_internal {

std::vector<std::string> MakeNamesPrintable(Graph& graph) {
  std::vector<std::string> renamed;
  graph.name = OneLine(graph.name);
  for (Tensor& tensor : graph.tensors()) {
    const std::string name = OneLine(tensor.name);
    if (name == tensor.name) continue;
    graph.Rename(&tensor, graph.UniqueName(name));
    renamed.push_back(tensor.name);
  }
  for (Op& op : graph.ops()) {
    for (std::string& origin : op.origins) origin = OneLine(origin);
  }
  return renamed;
}

}  // namespace synap_internal
