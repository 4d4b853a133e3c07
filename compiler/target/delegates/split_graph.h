// Splits a compiled graph into the subgraphs of an artifact.
#ifndef COMPILER_TARGET_DELEGATES_SPLIT_GRAPH_H_
#define COMPILER_TARGET_DELEGATES_SPLIT_GRAPH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/target/delegates/assign_delegates.h"
#include "runtime/bundle/bundle.h"

namespace synap_internal {

struct Subgraph {
  Graph graph;
  AssignedDelegate delegate;
  std::vector<BundleEdge> inputs;  // source of each of graph.inputs
  // For each of graph.outputs the output of the whole network that it is, or -1.
  std::vector<int> network_outputs;
};

struct SplitNetwork {
  std::vector<Subgraph> subgraphs;  // each after those that it reads from; one at least
  std::vector<BundleEdge> outputs;  // of the whole network
};

// Splits `graph` by PartitionByColour. Tensors keep names, types and quantizers; a tensor that
// passes from one subgraph to others is an output of the first. Constants are in each subgraph that
// reads them. Inputs that nothing reads, and outputs that are inputs or constants, belong to the
// first subgraph. A single subgraph is the graph itself; several have names "<name>/<index>".
absl::StatusOr<SplitNetwork> SplitGraph(const Graph& graph, const DelegateAssignment& delegates);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_SPLIT_GRAPH_H_
