// Groups of layers that share a data type.
#ifndef COMPILER_QUANTIZE_SEARCH_LAYER_GROUPS_H_
#define COMPILER_QUANTIZE_SEARCH_LAYER_GROUPS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// A layer that computes and the layers after it that only move its values or apply a function of
// one operand: a conversion between them would cost time and gain nothing.
struct LayerGroup {
  // Names of the layers as in the metafile's data_type, in the graph's order, each once; the first
  // is the one that computes.
  std::vector<std::string> layers;

  const std::string& name() const { return layers.front(); }
};

// The groups of a float graph, in its order. Ops that are never quantized are in none.
std::vector<LayerGroup> GroupLayers(const Graph& real);

// The index of each layer's group.
std::map<std::string, size_t> GroupsByLayer(const std::vector<LayerGroup>& groups);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_LAYER_GROUPS_H_
