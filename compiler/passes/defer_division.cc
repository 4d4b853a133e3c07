#include "compiler/passes/defer_division.h"

#include <cstdint>
#include <vector>

#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/passes/op_attributes.h"

namespace synap_internal {
namespace {

// Whether the op moves rows along the last dimension, but nothing inside of them.
bool KeepsRows(const Op& op) {
  const Shape &from = op.inputs[0]->type.shape, &to = op.output()->type.shape;
  if (op.Is(Movement::kReshape)) return to.rank() > 0 && to.back() == from.back();
  return op.Is(Movement::kTranspose) &&
         IntsAttribute(op, "perm").back() == static_cast<int64_t>(from.rank()) - 1;
}

// Adds the products that read the rows of `weights`; false if anything else does.
bool FindProducts(const Graph& graph, const Tensor& weights, std::vector<Op*>& products) {
  if (graph.IsOutput(&weights) || weights.users.empty()) return false;
  for (Op* user : weights.users) {
    if (user->Is(LinearForm::kMatrices)) {
      const bool first = user->inputs[0] == &weights && user->inputs[1] != &weights;
      if (!first || user->attributes.count("normalize") > 0) return false;
      products.push_back(user);
    } else if (!KeepsRows(*user) || !FindProducts(graph, *user->output(), products)) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<int> DeferDivision(Graph& graph) {
  int rewrites = 0;
  for (Op& op : graph.ops()) {
    if (!op.Is(Probability::kSoftmax) || op.attributes.count("normalize") > 0) continue;
    const TensorType& type = op.output()->type;
    const auto rank = static_cast<int64_t>(type.shape.rank());
    ASSIGN_OR_RETURN(const int64_t axis,
                     ResolveAxis(IntAttribute(op, "axis", -1), type.shape.rank()));
    std::vector<Op*> products;
    if (type.dtype != DataType::kFloat32 || axis != rank - 1 ||
        !FindProducts(graph, *op.output(), products)) {
      continue;
    }
    op.attributes["normalize"] = int64_t{0};
    for (Op* product : products) product->attributes["normalize"] = int64_t{1};
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
