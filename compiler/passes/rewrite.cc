#include "compiler/passes/rewrite.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace synap_internal {

bool HasSingleUse(const Graph& graph, const Tensor* tensor) {
  return tensor->users.size() == 1 && !graph.IsOutput(tensor);
}

void ReleaseUnread(const Graph& graph, Tensor* tensor) {
  const bool unread = tensor != nullptr && tensor->users.empty() && !graph.IsOutput(tensor);
  if (unread) tensor->constant.reset();
}

void ReplaceOp(Graph& graph, Op* old_op, Tensor* replacement) {
  Tensor* old_output = old_op->output();
  CHECK(old_op->outputs.size() == 1 && old_output->type.shape == replacement->type.shape);
  graph.ReplaceUses(old_output, replacement);
  std::string name = old_output->name;
  graph.RemoveOp(old_op);
  const bool border =
      replacement->producer == nullptr ||
      std::find(graph.inputs.begin(), graph.inputs.end(), replacement) != graph.inputs.end();
  if (!border) graph.Rename(replacement, std::move(name));
}

const std::vector<int64_t>& IntsAttribute(const Op& op, absl::string_view name) {
  return std::get<std::vector<int64_t>>(op.attributes.find(name)->second);
}

int64_t IntAttribute(const Op& op, absl::string_view name, int64_t fallback) {
  const auto it = op.attributes.find(name);
  return it == op.attributes.end() ? fallback : std::get<int64_t>(it->second);
}

float FloatAttribute(const Op& op, absl::string_view name, float fallback) {
  const auto it = op.attributes.find(name);
  if (it == op.attributes.end()) return fallback;
  const int64_t* integer = std::get_if<int64_t>(&it->second);
  return integer != nullptr ? static_cast<float>(*integer) : std::get<float>(it->second);
}

std::vector<std::string> JoinOrigins(const Op& a, const Op& b) {
  std::vector<std::string> joined = a.origins;
  for (const std::string& origin : b.origins) {
    if (std::find(joined.begin(), joined.end(), origin) == joined.end()) joined.push_back(origin);
  }
  return joined;
}

std::optional<float> ScalarValue(const Tensor* tensor) {
  if (tensor == nullptr || !tensor->is_constant() || tensor->type.dtype != DataType::kFloat32 ||
      tensor->type.shape.elements() != 1) {
    return std::nullopt;
  }
  return tensor->values<float>()[0];
}

std::vector<int64_t> Permute(const std::vector<int64_t>& dims, const std::vector<int64_t>& order) {
  std::vector<int64_t> permuted;
  for (const int64_t i : order) permuted.push_back(dims[static_cast<size_t>(i)]);
  return permuted;
}

std::vector<int64_t> InversePermutation(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

bool IsIdentityPermutation(const std::vector<int64_t>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

}  // namespace synap_internal
