#include "compiler/import/caffe/graph_border.h"

#include <vector>

namespace synap_internal::caffe_import {

ModelGraph ModelGraphOf(const Network& network) {
  ModelGraph graph;
  graph.noun = "a blob or layer of the network";
  graph.values = network.blobs;
  std::vector<bool> read(network.blobs.size());
  for (const Layer& layer : network.layers) {
    graph.nodes.push_back({layer.bottoms, layer.tops});
    graph.aliases.emplace_back(layer.param->name(), layer.tops[0]);
    for (const size_t bottom : layer.bottoms) read[bottom] = true;
  }
  for (const Layer& layer : network.layers) {
    for (const size_t top : layer.tops) {
      if (!read[top]) graph.outputs.push_back(top);
    }
  }
  for (const NetworkInput& input : network.inputs) graph.inputs.push_back(input.value);
  return graph;
}

}  // namespace synap_internal::caffe_import
