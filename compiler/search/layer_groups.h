// The layers that had better change their type together.
#ifndef COMPILER_SEARCH_LAYER_GROUPS_H_
#define COMPILER_SEARCH_LAYER_GROUPS_H_

#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace synap_internal {

// A layer that computes and those behind it that only move its values or apply a function of one
// operand: between them a conversion would cost and give nothing.
struct LayerGroup {
  // What the metafile's data_type calls the layers, in the graph's order, each once; the first is
  // the one that computes.
  std::vector<std::string> layers;

  const std::string& name() const { return layers.front(); }
};

// Of a float graph, in its order. What is never quantized is in no group.
std::vector<LayerGroup> GroupLayers(const Graph& real);

}  // namespace synap_internal

#endif  // COMPILER_SEARCH_LAYER_GROUPS_H_
