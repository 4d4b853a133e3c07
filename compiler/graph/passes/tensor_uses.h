// Questions about the readers of a tensor.
#ifndef COMPILER_GRAPH_PASSES_TENSOR_USES_H_
#define COMPILER_GRAPH_PASSES_TENSOR_USES_H_

#include "compiler/graph/graph.h"

namespace synap_internal {

// `tensor` is read once, by one op, and is no graph output.
bool HasSingleUse(const Graph& graph, const Tensor* tensor);

// Frees a constant's bytes if nothing reads it any more: weights that others replaced would be in
// memory twice until RemoveDead removes them. Leaves null and other tensors as they are.
void ReleaseUnread(const Graph& graph, Tensor* tensor);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_TENSOR_USES_H_
