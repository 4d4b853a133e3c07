// Runs an imported graph on given inputs, for tests of the importers.
#ifndef COMPILER_IMPORT_EVALUATE_GRAPH_H_
#define COMPILER_IMPORT_EVALUATE_GRAPH_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The outputs of a graph for `inputs`, both in the graph's order, computed op by
// op. Numbers of other types than float32 are given and returned as floats of
// what is stored. REQUIRES: each input has as many values as its tensor.
absl::StatusOr<std::vector<std::vector<float>>> EvaluateGraph(
    const Graph& graph, const std::vector<std::vector<float>>& inputs);

// The first of these outputs. `graph` is null if `imported` is an error; that, and any
// of the computation, is printed and aborts.
std::vector<float> FirstOutput(const absl::Status& imported, const Graph* graph,
                               const std::vector<std::vector<float>>& inputs);

// 0, 1, 2, ...
std::vector<float> Count(size_t n);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EVALUATE_GRAPH_H_
