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

Emitted EmitMatrixTranspose(OpEmitter& op, const Emitted& x, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const Shape& shape = (*x)->type.shape;
  const size_t rank = shape.rank();
  if (rank < 2) {
    return absl::InvalidArgumentError(absl::StrCat("its operand ", shape.ToString(),
                                                   " is not a matrix, expected 2 dimensions or "
                                                   "more"));
  }
  std::vector<int64_t> perm = AxesFrom(0, rank);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return op.Transpose(x, std::move(perm), suffix);
}

Emitted EmitMatmul(OpEmitter& op, const Emitted& left, const Emitted& right,
                   absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * a, left);
  ASSIGN_OR_RETURN(Tensor * b, right);
  const Shape &rows = a->type.shape, &columns = b->type.shape;
  if (rows.rank() == 0 || columns.rank() == 0) {
    return absl::InvalidArgumentError(
        "an operand of its product is a scalar, expected vectors or matrices");
  }
  const bool row = rows.rank() == 1, column = columns.rank() == 1;
  if (!row && !column) return op.Emit("matmul", {a, b}, {}, suffix);
  const Emitted wide = row ? op.Reshape(a, {1, rows[0]}, ".row") : a;
  const Emitted high = column ? op.Reshape(b, {columns[0], 1}, ".column") : b;
  ASSIGN_OR_RETURN(Tensor * y, op.Emit("matmul", {wide, high}, {}, ".product"));
  std::vector<int64_t> dims = y->type.shape.dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return op.Reshape(y, std::move(dims), suffix);
}

}  // namespace synap_internal
