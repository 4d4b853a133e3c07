// Replaces a product with a constant matrix by a fully connected layer.
//
//   %y = matmul(%x, %w[KxN])  ->  %y = fully_connected(%x, %wT[NxK])
#ifndef COMPILER_GRAPH_PASSES_FULLY_CONNECTED_FROM_MATMUL_H_
#define COMPILER_GRAPH_PASSES_FULLY_CONNECTED_FROM_MATMUL_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites.
absl::StatusOr<int> FullyConnectedFromMatmul(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FULLY_CONNECTED_FROM_MATMUL_H_
