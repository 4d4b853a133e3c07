// Small steps that several passes take.
#ifndef COMPILER_PASSES_REWRITE_H_
#define COMPILER_PASSES_REWRITE_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace synap_internal {

// `tensor` is read once, by one op, and is no graph output.
bool HasSingleUse(const Graph& graph, const Tensor* tensor);

// Lets go of a constant's bytes if nothing reads it any more: until RemoveDead removes it, weights
// that something took the place of would be in memory twice. Null and other tensors stay.
void ReleaseUnread(const Graph& graph, Tensor* tensor);

// Everything that read old_op's output reads `replacement`, which takes over the
// old output's name (unless it is an input or a constant); old_op goes.
// REQUIRES: old_op has one output; `replacement` has its shape.
void ReplaceOp(Graph& graph, Op* old_op, Tensor* replacement);

// The attribute as a list of integers. REQUIRES: it is there, with that type.
const std::vector<int64_t>& IntsAttribute(const Op& op, absl::string_view name);
int64_t IntAttribute(const Op& op, absl::string_view name, int64_t fallback);
float FloatAttribute(const Op& op, absl::string_view name, float fallback);

// Names of a's origins, then of b's, each once.
std::vector<std::string> JoinOrigins(const Op& a, const Op& b);

// The one value of a float constant with one element.
std::optional<float> ScalarValue(const Tensor* tensor);

// dims[order[i]] for each i.
std::vector<int64_t> Permute(const std::vector<int64_t>& dims, const std::vector<int64_t>& order);
// The permutation q with q[p[i]] = i.
std::vector<int64_t> InversePermutation(const std::vector<int64_t>& permutation);
bool IsIdentityPermutation(const std::vector<int64_t>& permutation);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_REWRITE_H_
