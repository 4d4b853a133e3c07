#include "compiler/import/emit/matmul.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal {

bool HoldsConstantWeights(const Tensor& w) {
  const Op* producer = w.producer;
  return w.is_constant() || (producer != nullptr && producer->Is(TypeConversion::kDequantize) &&
                             producer->inputs[0]->is_constant());
}

absl::Status CheckMatrices(const Shape& a, const Shape& b) {
  if (a.rank() == 2 && b.rank() == 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its operands are ", a.ToString(), " and ",
                                                 b.ToString(), ", expected matrices"));
}

absl::StatusOr<Tensor*> EmitMatrixTranspose(OpEmitter& op, Tensor* x, absl::string_view suffix) {
  const size_t rank = x->type.shape.rank();
  if (rank < 2) {
    return absl::InvalidArgumentError(absl::StrCat("its operand ", x->type.shape.ToString(),
                                                   " is not a matrix, expected 2 dimensions or "
                                                   "more"));
  }
  std::vector<int64_t> perm = AxesFrom(0, rank);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return op.Transpose(x, std::move(perm), suffix);
}

absl::StatusOr<Tensor*> EmitMatmul(OpEmitter& op, Tensor* a, Tensor* b, absl::string_view suffix) {
  if (a->type.shape.rank() == 0 || b->type.shape.rank() == 0) {
    return absl::InvalidArgumentError(
        "an operand of its product is a scalar, expected vectors or matrices");
  }
  const bool row = a->type.shape.rank() == 1, column = b->type.shape.rank() == 1;
  if (!row && !column) return op.Emit("matmul", {a, b}, {}, suffix);
  if (row) {
    ASSIGN_OR_RETURN(a, op.Reshape(a, {1, a->type.shape[0]}, ".row"));
  }
  if (column) {
    ASSIGN_OR_RETURN(b, op.Reshape(b, {b->type.shape[0], 1}, ".column"));
  }
  ASSIGN_OR_RETURN(Tensor * y, op.Emit("matmul", {a, b}, {}, ".product"));
  std::vector<int64_t> dims = y->type.shape.dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return op.Reshape(y, std::move(dims), suffix);
}

}  // namespace synap_internal
