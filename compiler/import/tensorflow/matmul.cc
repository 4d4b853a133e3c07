// MatMul and its batched form.
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// The last two dimensions swapped.
absl::StatusOr<Tensor*> Swapped(NodeContext& node, Tensor* x, absl::string_view suffix) {
  const size_t rank = x->type.shape.rank();
  if (rank < 2) return absl::InvalidArgumentError("an operand is no matrix");
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), int64_t{0});
  std::swap(perm[rank - 1], perm[rank - 2]);
  return node.Transpose(x, std::move(perm), suffix);
}

absl::Status Multiply(NodeContext& node, bool swap_a, bool swap_b) {
  Tensor *a = node.input(0), *b = node.input(1);
  if (swap_a) {
    ASSIGN_OR_RETURN(a, Swapped(node, a, ".a"));
  }
  // Constant weights [K, N] are [N, K] for fully_connected.
  const bool weights = b->is_constant() && b->type.shape.rank() == 2;
  if (swap_b != weights) {
    ASSIGN_OR_RETURN(b, Swapped(node, b, ".b"));
  }
  return node.SetOutput(node.Emit(weights ? "fully_connected" : "matmul", {a, b}));
}

absl::Status MapMatMul(NodeContext& node) {
  if (node.shape(0).rank() != 2 || node.shape(1).rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("its operands ", node.shape(0).ToString(),
                                                   " and ", node.shape(1).ToString(),
                                                   " should be matrices"));
  }
  return Multiply(node, node.Bool("transpose_a", false), node.Bool("transpose_b", false));
}

absl::Status MapBatchMatMul(NodeContext& node) {
  return Multiply(node, node.Bool("adj_x", false), node.Bool("adj_y", false));
}

constexpr OpMapping kMappings[] = {
    {"MatMul", 2, 2, MapMatMul},
    {"BatchMatMul", 2, 2, MapBatchMatMul},
    {"BatchMatMulV2", 2, 2, MapBatchMatMul},
};

}  // namespace

absl::Span<const OpMapping> MatmulMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
