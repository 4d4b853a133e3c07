// Replaces an op by a tensor that holds what the op computes.
#ifndef COMPILER_GRAPH_PASSES_REPLACE_OP_H_
#define COMPILER_GRAPH_PASSES_REPLACE_OP_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// Everything that read old_op's output reads `replacement`, which takes the old output's name over
// unless it is an input, a constant or an output of the network; old_op is removed. Where both
// names are the network's outputs (or an output is an input or a constant now), old_op stays as a
// copy of `replacement`, so that each output keeps its own. REQUIRES: old_op has one output, and
// `replacement` has its shape.
void ReplaceOp(Graph& graph, Op* old_op, Tensor* replacement);

// Adds those of the op's origins to `joined` that it doesn't have yet.
void AddOrigins(const Op& op, std::vector<std::string>& joined);

// The origins of an op that does what `a` and `b` did: a's, then b's, each once.
std::vector<std::string> JoinOrigins(const Op& a, const Op& b);

// Those of `last` and of the ops between `x` and it that nothing else needs, in the order of the
// graph, each once: the origins of an op that makes last's result of `x`.
std::vector<std::string> JoinOriginsBetween(const Graph& graph, const Tensor& x, const Op& last);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_REPLACE_OP_H_
