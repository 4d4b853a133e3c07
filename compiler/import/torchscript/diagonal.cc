// Operators on diagonals and triangles of matrices.
#include "compiler/import/emit/diagonal.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// The axes of a tensor whose matrices have their rows along `rows` and their columns along
// `columns`.
struct MatrixAxes {
  size_t rows = 0, columns = 1;

  // All others in their order, then these.
  Dims LastOf(size_t rank) const {
    Dims perm;
    for (size_t i = 0; i < rank; ++i) {
      if (i != rows && i != columns) perm.push_back(static_cast<int64_t>(i));
    }
    perm.insert(perm.end(), {static_cast<int64_t>(rows), static_cast<int64_t>(columns)});
    return perm;
  }
};

// Arguments `at` and the next, for a tensor of `rank` dimensions.
absl::StatusOr<MatrixAxes> ReadMatrixAxes(const NodeContext& node, size_t at, size_t rank,
                                          int64_t rows, int64_t columns) {
  if (rank < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its matrices have ", rank, " dimensions, expected 2 or more"));
  }
  ASSIGN_OR_RETURN(rows, node.GetAxisOr(at, rank, rows));
  ASSIGN_OR_RETURN(columns, node.GetAxisOr(at + 1, rank, columns));
  if (rows == columns) {
    return absl::InvalidArgumentError(
        absl::StrCat("its rows and its columns are both along dimension ", rows));
  }
  return MatrixAxes{static_cast<size_t>(rows), static_cast<size_t>(columns)};
}

Emitted Permuted(NodeContext& node, Tensor* x, Dims perm, absl::string_view suffix) {
  if (std::is_sorted(perm.begin(), perm.end())) return x;
  return node.Transpose(x, std::move(perm), suffix);
}

// (x, diagonal)
template <Triangle kTriangle>
absl::Status MapTriangle(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(1, 0));
  return node.SetOutput(EmitTriangle(node, x, k, kTriangle));
}

// (n, ...) or (n, m, ...)
absl::Status MapEye(NodeContext& node) {
  const size_t count = node.size() - kConstantOptions;
  if (count < 1 || count > 2) {
    return absl::UnimplementedError(
        absl::StrCat("it has ", node.size(), " arguments, expected 1 or 2 sizes and 4 options"));
  }
  ASSIGN_OR_RETURN(const int64_t rows, node.GetInt(0));
  ASSIGN_OR_RETURN(const int64_t columns, node.GetInt(count - 1));
  const Emitted mask = EmitDiagonalMask(node, rows, columns, [](int64_t k) { return k == 0; });
  return SetTypedConstant(node, mask, count, DataType::kFloat32);
}

// (x, offset, dim1, dim2): the diagonal becomes the last dimension.
absl::Status MapDiagonal(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool last = node.kind() == "aten::linalg_diagonal";
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(1, 0));
  ASSIGN_OR_RETURN(const MatrixAxes axes,
                   ReadMatrixAxes(node, 2, rank, last ? -2 : 0, last ? -1 : 1));
  return node.SetOutput(EmitDiagonal(node, Permuted(node, x, axes.LastOf(rank), ".matrices"), k));
}

// (x): the sum of the main diagonal.
absl::Status MapTrace(NodeContext& node) {
  const Emitted diagonal = EmitDiagonal(node, node.GetTensor(0), 0, ".diagonal");
  return node.SetOutput(EmitReduce(node, "reduce_sum", diagonal, {-1}, false));
}

// (x, offset, dim1, dim2): matrices with the last dimension of x as their diagonal.
absl::Status MapDiagEmbed(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank() + 1;
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(1, 0));
  ASSIGN_OR_RETURN(const MatrixAxes axes, ReadMatrixAxes(node, 2, rank, -2, -1));
  ASSIGN_OR_RETURN(Tensor * matrices, EmitDiagonalMatrix(node, x, k, ".matrices"));
  return node.SetOutput(Permuted(node, matrices, InversePermutation(axes.LastOf(rank)), ""));
}

// (x, diagonal): the matrix of a list, the diagonal of a matrix; diagflat takes x as a list.
absl::Status MapDiag(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(1, 0));
  const Shape& s = x->type.shape;
  if (node.kind() == "aten::diagflat" && s.rank() != 1) {
    ASSIGN_OR_RETURN(x, EmitFlat(node, x, ".list"));
  }
  if (x->type.shape.rank() == 1) return node.SetOutput(EmitDiagonalMatrix(node, x, k));
  if (x->type.shape.rank() == 2) return node.SetOutput(EmitDiagonal(node, x, k));
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", s.ToString(), ", expected 1 or 2 dimensions"));
}

// (x, source, offset, dim1, dim2): x with the source as that diagonal.
absl::Status MapDiagonalScatter(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(2, 0));
  ASSIGN_OR_RETURN(const MatrixAxes axes, ReadMatrixAxes(node, 3, rank, 0, 1));
  const Dims perm = axes.LastOf(rank);
  ASSIGN_OR_RETURN(Tensor * matrices, Permuted(node, x, perm, ".matrices"));
  const Shape s = matrices->type.shape;
  const int64_t rows = s[rank - 2], columns = s.back();
  const int64_t length = DiagonalLength(rows, columns, k);
  if (length == 0) return node.SetOutput(x);
  Dims dims(s.dims().begin(), s.dims().end() - 2), part = dims;
  dims.push_back(rows * columns);
  part.push_back(length);
  ASSIGN_OR_RETURN(Tensor * flat, node.Reshape(matrices, std::move(dims), ".flat"));
  const Emitted source = EmitExpand(node, node.Cast(node.GetTensor(1), x->type.dtype, ".typed"),
                                    std::move(part), ".source");
  const int64_t start = k >= 0 ? k : -k * columns;
  const Emitted written =
      EmitReplacedSlice(node, flat, source, rank - 2, {start, length, columns + 1}, ".written");
  ASSIGN_OR_RETURN(Tensor * y, node.Reshape(written, s.dims(), ".apart"));
  return node.SetOutput(Permuted(node, y, InversePermutation(perm), ""));
}

// (x, number, wrap): the main diagonal of a matrix; with `wrap` it begins again after each
// `columns` + 1 rows.
absl::Status MapFillDiagonal(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  if (s.rank() != 2) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", s.ToString(), ", expected a matrix"));
  }
  ASSIGN_OR_RETURN(const bool wrap, node.GetBoolOr(2, false));
  const int64_t period = s[1] + 1;
  const Emitted mask = EmitDiagonalMask(
      node, s[0], s[1], [&](int64_t k) { return wrap ? k <= 0 && -k % period == 0 : k == 0; });
  const Emitted value = node.Cast(node.GetNumbers(1), x->type.dtype, ".value");
  return node.SetOutput(node.Emit("where", {mask, value, x}));
}

// (rows, columns, offset, ...): int64 [2, count], the rows and the columns of the elements of a
// triangle.
template <Triangle kTriangle>
absl::Status MapTriangleIndices(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t rows, node.GetInt(0));
  ASSIGN_OR_RETURN(const int64_t columns, node.GetInt(1));
  ASSIGN_OR_RETURN(const int64_t k, node.GetIntOr(2, 0));
  const Shape shape({rows, columns});
  RETURN_IF_ERROR(shape.Validate());
  RETURN_IF_ERROR(node.builder().Charge(shape.elements() * int64_t{2 * sizeof(int64_t)}));
  Dims row_of, column_of;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const int64_t row = i / columns, column = i % columns;
    const bool inside = kTriangle == Triangle::kUpper ? column - row >= k : column - row <= k;
    if (!inside) continue;
    row_of.push_back(row);
    column_of.push_back(column);
  }
  const auto count = static_cast<int64_t>(row_of.size());
  row_of.insert(row_of.end(), column_of.begin(), column_of.end());
  Tensor* indices = node.Values(Shape({2, count}), std::move(row_of), ".indices");
  return SetTypedConstant(node, indices, 3, DataType::kInt64);
}

constexpr OpMapping kDiagonalMappings[] = {
    {"aten::tril", 1, MapTriangle<Triangle::kLower>, Result::kAlike},
    {"aten::triu", 1, MapTriangle<Triangle::kUpper>, Result::kAlike},
    {"aten::tril_indices", 2, MapTriangleIndices<Triangle::kLower>},
    {"aten::triu_indices", 2, MapTriangleIndices<Triangle::kUpper>},
    {"aten::eye", kConstantOptions + 1, MapEye},
    {"aten::diagonal", 1, MapDiagonal, Result::kView},
    {"aten::linalg_diagonal", 1, MapDiagonal, Result::kView},
    {"aten::diagonal_copy", 1, MapDiagonal, Result::kAlike},
    {"aten::trace", 1, MapTrace},
    {"aten::diag_embed", 1, MapDiagEmbed, Result::kAlike},
    {"aten::diag", 1, MapDiag, Result::kAlike},
    {"aten::diagflat", 1, MapDiag, Result::kAlike},
    {"aten::diagonal_scatter", 2, MapDiagonalScatter, Result::kAlike},
    {"aten::fill_diagonal", 2, MapFillDiagonal, Result::kAlike, "matrices"},
};

}  // namespace

absl::Span<const OpMapping> DiagonalMappings() { return kDiagonalMappings; }

}  // namespace synap_internal::torchscript_import
