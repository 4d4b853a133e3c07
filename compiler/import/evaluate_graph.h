// What an imported graph computes, for tests of the importers.
#ifndef COMPILER_IMPORT_EVALUATE_GRAPH_H_
#define COMPILER_IMPORT_EVALUATE_GRAPH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap {

// The outputs of a graph for `inputs`, both in the graph's order, computed op by
// op. Numbers of other types than float32 are given and returned as floats of
// what is stored. REQUIRES: each input has as many values as its tensor.
absl::StatusOr<std::vector<std::vector<float>>> EvaluateGraph(
    const Graph& graph, const std::vector<std::vector<float>>& inputs);

}  // namespace synap

#endif  // COMPILER_IMPORT_EVALUATE_GRAPH_H_
