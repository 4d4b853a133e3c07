#include "compiler/graph/passes/defer_division.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"
#include "compiler/graph/passes/tensor_uses.h"

namespace synap_internal {
namespace {

// Whether the op is a softmax of float32 rows along the last dimension that divides by their sums.
bool DividesRows(const Op& op) {
  if (!op.Is(Probability::kSoftmax) || op.attributes.count("normalize") > 0) return false;
  const TensorType& type = op.output()->type;
  const int64_t axis = IntAttribute(op, "axis", -1);
  return type.dtype == DataType::kFloat32 &&
         (axis == -1 || axis == static_cast<int64_t>(type.shape.rank()) - 1);
}

// Whether the op moves rows along the last dimension, but nothing inside of them.
bool KeepsRows(const Op& op) {
  const Shape &from = op.inputs[0]->type.shape, &to = op.output()->type.shape;
  if (op.Is(Movement::kReshape)) return to.rank() > 0 && to.back() == from.back();
  return op.Is(Movement::kTranspose) &&
         IntsAttribute(op, "perm").back() == static_cast<int64_t>(from.rank()) - 1;
}

// Whether the op is a product of matrices that doesn't divide yet.
bool IsPlainProduct(const Op& op) {
  return op.Is(LinearForm::kMatrices) && op.attributes.count("normalize") == 0;
}

// Adds the products that read the rows of `weights`; false if anything else does.
bool FindProducts(const Graph& graph, const Tensor& weights, std::vector<Op*>& products) {
  if (graph.IsOutput(&weights) || weights.users.empty()) return false;
  for (Op* user : weights.users) {
    if (IsPlainProduct(*user) && user->inputs[0] == &weights && user->inputs[1] != &weights) {
      products.push_back(user);
    } else if (!KeepsRows(*user) || !FindProducts(graph, *user->output(), products)) {
      return false;
    }
  }
  return true;
}

// The last two dimensions exchanged.
std::vector<int64_t> Transposition(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 2], perm[rank - 1]);
  return perm;
}

bool Transposes(const Op& op) {
  const size_t rank = op.output()->type.shape.rank();
  return op.Is(Movement::kTranspose) && rank >= 2 &&
         IntsAttribute(op, "perm") == Transposition(rank);
}

// `from` with its last two dimensions exchanged, computed before `op`.
absl::StatusOr<Tensor*> Transposed(Graph& graph, Tensor* from, Op* op) {
  ASSIGN_OR_RETURN(
      Op * transposed,
      graph.AddInferredOp("transpose", {from}, {{"perm", Transposition(from->type.shape.rank())}},
                          op->origins, from->name, op));
  return transposed->output();
}

// v * transpose(softmax) -> transpose(softmax * transpose(v)), where the softmax is read by nothing
// else. Returns the number of rewrites.
absl::StatusOr<int> PutWeightsFirst(Graph& graph) {
  std::vector<Op*> products;
  for (Op& op : graph.ops()) {
    if (IsPlainProduct(op)) products.push_back(&op);
  }
  int rewrites = 0;
  for (Op* product : products) {
    Tensor* values = product->inputs[0];
    Op* transpose = product->inputs[1]->producer;
    if (transpose == nullptr || !Transposes(*transpose)) continue;
    Tensor* weights = transpose->inputs[0];
    if (weights->producer == nullptr || !DividesRows(*weights->producer) ||
        !HasSingleUse(graph, weights) || !HasSingleUse(graph, transpose->output())) {
      continue;
    }
    ASSIGN_OR_RETURN(Tensor * turned, Transposed(graph, values, product));
    ASSIGN_OR_RETURN(Op * means,
                     graph.AddInferredOp("matmul", {weights, turned}, {}, product->origins,
                                         product->output()->name, product));
    ASSIGN_OR_RETURN(Tensor * result, Transposed(graph, means->output(), product));
    ReplaceOp(graph, product, result);
    graph.RemoveOp(transpose);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace

absl::StatusOr<int> DeferDivision(Graph& graph) {
  ASSIGN_OR_RETURN(int rewrites, PutWeightsFirst(graph));
  for (Op& op : graph.ops()) {
    std::vector<Op*> products;
    if (!DividesRows(op) || !FindProducts(graph, *op.output(), products)) continue;
    op.attributes["normalize"] = int64_t{0};
    for (Op* product : products) product->attributes["normalize"] = int64_t{1};
    ++rewrites;
  }
  return rewrites;
}

}  // namespace synap_internal
