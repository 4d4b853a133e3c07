// Determinants and inverses of small matrices and of constant ones, and systems of equations with
// such a matrix.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Matrices of up to this size are inverted by their cofactors, in as many ops whatever their
// values are.
constexpr int64_t kMostCofactors = 4;

// Argument `at`, [..., n, n], as real numbers.
Emitted GetSquare(NodeContext& node, size_t at) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, at));
  const Shape& s = x->type.shape;
  if (s.rank() >= 2 && s[s.rank() - 2] == s.back() && s.back() > 0) return x;
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", s.ToString(), ", expected [...,N,N]"));
}

// --- Cofactors

// Elements of the last dimension of x.
Emitted Picked(NodeContext& node, const Emitted& x, const Dims& at, absl::string_view suffix) {
  return EmitGather(node, x, node.builder().AddInts(node.Name(suffix), at), -1, suffix);
}

// x[a] x[b] - x[c] x[d] along the last dimension.
struct MinorIndices {
  Dims a, b, c, d;
};
Emitted EmitMinors(NodeContext& node, const Emitted& x, const MinorIndices& at,
                   absl::string_view suffix) {
  const Emitted plus =
      node.Emit("mul", {Picked(node, x, at.a, ".a"), Picked(node, x, at.b, ".b")}, {}, ".plus");
  const Emitted minus =
      node.Emit("mul", {Picked(node, x, at.c, ".c"), Picked(node, x, at.d, ".d")}, {}, ".minus");
  return node.Emit("sub", {plus, minus}, {}, suffix);
}

// The cofactors of matrices of 3 rows, whose elements are the last dimension of x.
Emitted EmitCofactorsOf3(NodeContext& node, const Emitted& x) {
  MinorIndices at;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const int64_t up = (i + 1) % 3 * 3, down = (i + 2) % 3 * 3;
      const int64_t left = (j + 1) % 3, right = (j + 2) % 3;
      at.a.push_back(up + left);
      at.b.push_back(down + right);
      at.c.push_back(up + right);
      at.d.push_back(down + left);
    }
  }
  return EmitMinors(node, x, at, ".cofactors");
}

// The columns of the minors of two rows of four: 01, 02, 03, 12, 13, 23.
constexpr int64_t kColumnPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

int64_t PairOf(int64_t first, int64_t second) {
  int64_t pair = 0;
  while (kColumnPairs[pair][0] != first || kColumnPairs[pair][1] != second) ++pair;
  return pair;
}

// The same of 4 rows: of the minors of rows 0 and 1, and of rows 2 and 3.
Emitted EmitCofactorsOf4(NodeContext& node, const Emitted& x) {
  MinorIndices at;
  for (const int64_t row : {0, 2}) {
    for (const auto& [first, second] : kColumnPairs) {
      at.a.push_back(4 * row + first);
      at.b.push_back(4 * row + 4 + second);
      at.c.push_back(4 * row + first + 4);
      at.d.push_back(4 * row + second);
    }
  }
  const Emitted minors = EmitMinors(node, x, at, ".minors");
  // Without row i and column j there are the other row of its pair and the other pair of rows.
  Dims elements[3], pairs[3];
  std::vector<float> signs;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      const int64_t row = i ^ 1, other = i < 2 ? 6 : 0;
      Dims columns = {0, 1, 2, 3};
      columns.erase(columns.begin() + j);
      for (size_t t = 0; t < 3; ++t) {
        Dims rest = columns;
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(t));
        elements[t].push_back(4 * row + columns[t]);
        pairs[t].push_back(other + PairOf(rest[0], rest[1]));
      }
      signs.push_back((i + j) % 2 == 0 ? 1.0f : -1.0f);
    }
  }
  const auto term = [&](size_t t) {
    return node.Emit(
        "mul", {Picked(node, x, elements[t], ".element"), Picked(node, minors, pairs[t], ".minor")},
        {}, ".term");
  };
  const Emitted two = node.Emit("sub", {term(0), term(1)}, {}, ".terms");
  const Emitted sum = node.Emit("add", {two, term(2)}, {}, ".sum");
  return node.Emit("mul", {sum, node.Values(Shape({16}), std::move(signs), ".signs")}, {},
                   ".cofactors");
}

// The cofactors of the matrices of n rows whose elements are the last dimension of x.
Emitted EmitCofactors(NodeContext& node, const Emitted& x, int64_t n) {
  if (n == 4) return EmitCofactorsOf4(node, x);
  if (n == 3) return EmitCofactorsOf3(node, x);
  Tensor* one = node.Scalar(1, ".one");
  if (n == 1) {
    const Emitted zero = node.Emit("sub", {x, x}, {}, ".zero");
    return node.Emit("add", {zero, one}, {}, ".cofactors");
  }
  Tensor* signs = node.Values(Shape({4}), std::vector<float>{1, -1, -1, 1}, ".signs");
  return node.Emit("mul", {Picked(node, x, {3, 2, 1, 0}, ".turned"), signs}, {}, ".cofactors");
}

// The determinants [...] of the matrices of n rows whose elements are the last dimension of x.
Emitted EmitDeterminant(NodeContext& node, Tensor* x, Tensor* cofactors, int64_t n) {
  const size_t last = x->type.shape.rank() - 1;
  const Emitted products = node.Emit("mul",
                                     {EmitAxisSlice(node, x, last, 0, n, ".row"),
                                      EmitAxisSlice(node, cofactors, last, 0, n, ".row_cofactors")},
                                     {}, ".products");
  return EmitReduce(node, "reduce_sum", products, {-1}, false, ".determinant");
}

// The largest absolute element along the last dimension of x, which stays as 1; 1 for 0.
Emitted EmitMagnitude(NodeContext& node, const Emitted& x) {
  const Emitted sizes = node.Emit("abs", {x}, {}, ".sizes");
  const Emitted largest = EmitReduce(node, "reduce_max", sizes, {-1}, true, ".largest");
  const Emitted none = node.Emit("equal", {largest, node.Scalar(0, ".zero")}, {}, ".none");
  return node.Emit("where", {none, node.Scalar(1, ".one"), largest}, {}, ".magnitude");
}

// What a matrix [..., n, n] is turned into.
enum class Wanted {
  kInverse,      // [..., n, n]
  kDeterminant,  // [...]
};

Emitted EmitByCofactors(NodeContext& node, Tensor* x, Wanted wanted) {
  const Shape s = x->type.shape;
  const int64_t n = s.back();
  Dims flat(s.dims().begin(), s.dims().end() - 2), kept = flat;
  flat.push_back(n * n);
  kept.insert(kept.end(), {1, 1});
  ASSIGN_OR_RETURN(Tensor * elements, node.Reshape(x, std::move(flat), ".elements"));
  Emitted magnitude = nullptr;
  if (wanted == Wanted::kInverse) {
    // Products of n elements may be too large or too small for a float where the inverse isn't:
    // that of A is that of A / m, divided by m.
    magnitude = EmitMagnitude(node, elements);
    ASSIGN_OR_RETURN(elements, node.Emit("div", {elements, magnitude}, {}, ".scaled"));
  }
  ASSIGN_OR_RETURN(Tensor * cofactors, EmitCofactors(node, elements, n));
  const Emitted determinant = EmitDeterminant(node, elements, cofactors, n);
  if (wanted == Wanted::kDeterminant) return determinant;
  const Emitted matrices = node.Reshape(cofactors, s.dims(), ".matrices");
  const Emitted divisor = node.Reshape(determinant, kept, ".divisor");
  const Emitted scaled = node.Emit(
      "div", {EmitMatrixTranspose(node, matrices, ".adjugate"), divisor}, {}, ".scaled_inverse");
  return node.Emit("div", {scaled, node.Reshape(magnitude, std::move(kept), ".factor")}, {},
                   ".inverse");
}

// --- Constants

// Inverts the n x n matrix by Gauss-Jordan elimination with pivots, and returns its determinant;
// the matrix is undefined if that is 0.
double InvertInPlace(std::vector<double>& matrix, size_t n) {
  double determinant = 1;
  std::vector<double> rows(2 * n * n);  // the matrix beside the identity
  const size_t width = 2 * n;
  for (size_t i = 0; i < n; ++i) {
    std::copy_n(matrix.begin() + static_cast<ptrdiff_t>(i * n), n,
                rows.begin() + static_cast<ptrdiff_t>(i * width));
    rows[i * width + n + i] = 1;
  }
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t i = column + 1; i < n; ++i) {
      if (std::abs(rows[i * width + column]) > std::abs(rows[pivot * width + column])) pivot = i;
    }
    const double value = rows[pivot * width + column];
    determinant *= pivot == column ? value : -value;
    if (value == 0) return 0;
    for (size_t k = 0; k < width; ++k) {
      std::swap(rows[pivot * width + k], rows[column * width + k]);
      rows[column * width + k] /= value;
    }
    for (size_t i = 0; i < n; ++i) {
      const double factor = rows[i * width + column];
      if (i == column || factor == 0) continue;
      for (size_t k = 0; k < width; ++k) rows[i * width + k] -= factor * rows[column * width + k];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    std::copy_n(rows.begin() + static_cast<ptrdiff_t>(i * width + n), n,
                matrix.begin() + static_cast<ptrdiff_t>(i * n));
  }
  return determinant;
}

Emitted EmitOfConstant(NodeContext& node, const Tensor& x, Wanted wanted) {
  constexpr int64_t kMostRows = 512;
  const Shape& s = x.type.shape;
  const int64_t n = s.back();
  if (n > kMostRows) {
    return absl::UnimplementedError(
        absl::StrCat("its matrices have ", n, " rows, expected at most ", kMostRows));
  }
  RETURN_IF_ERROR(node.builder().Charge(s.elements() * n * int64_t{sizeof(float)}));
  const absl::Span<const float> values = x.values<float>();
  std::vector<float> inverses, determinants;
  const auto size = static_cast<size_t>(n * n);
  for (size_t at = 0; at < values.size(); at += size) {
    const auto begin = values.begin() + static_cast<ptrdiff_t>(at);
    std::vector<double> matrix(begin, begin + static_cast<ptrdiff_t>(size));
    const double determinant = InvertInPlace(matrix, static_cast<size_t>(n));
    if (wanted == Wanted::kInverse && determinant == 0) {
      return absl::InvalidArgumentError("its matrix has the determinant 0, and so no inverse");
    }
    determinants.push_back(static_cast<float>(determinant));
    inverses.insert(inverses.end(), matrix.begin(), matrix.end());
  }
  if (wanted == Wanted::kInverse) return node.Values(s, std::move(inverses), ".inverse");
  return node.Values(Shape(Dims(s.dims().begin(), s.dims().end() - 2)), std::move(determinants),
                     ".determinant");
}

Emitted EmitWanted(NodeContext& node, Tensor* x, Wanted wanted) {
  if (x->is_constant()) return EmitOfConstant(node, *x, wanted);
  if (x->type.shape.back() <= kMostCofactors) return EmitByCofactors(node, x, wanted);
  return absl::UnimplementedError(absl::StrCat("its matrices are ", x->type.shape.ToString(),
                                               " and depend on the network's inputs"));
}

// --- Operators

constexpr char kFactors[] = "factors of a decomposition";

// (x), and of the ops of decomposed graphs factors too; of ..._ex whether there is an inverse.
template <Wanted kWanted>
absl::Status MapOfSquare(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetSquare(node, 0));
  RETURN_IF_ERROR(node.SetOutput(EmitWanted(node, x, kWanted)));
  node.AddUnread(kFactors);
  return absl::OkStatus();
}

// (A [..., N, N], B [..., N, K] or vectors [..., N], left): X with A X = B or, without `left`,
// X A = B.
absl::Status MapSolve(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * a, GetSquare(node, 0));
  ASSIGN_OR_RETURN(Tensor * b, GetRealTensor(node, 1));
  ASSIGN_OR_RETURN(const bool left, node.GetBoolOr(2, true));
  ASSIGN_OR_RETURN(Tensor * inverse, EmitWanted(node, a, Wanted::kInverse));
  const Dims &of_a = a->type.shape.dims(), of_b = b->type.shape.dims();
  const bool vectors = of_b.size() == 1 || (of_b.size() + 1 == of_a.size() &&
                                            std::equal(of_b.begin(), of_b.end(), of_a.begin()));
  if (vectors) {
    Dims column = of_b;
    column.push_back(1);
    ASSIGN_OR_RETURN(b, node.Reshape(b, std::move(column), ".column"));
  }
  ASSIGN_OR_RETURN(Tensor * y, left ? EmitMatmul(node, inverse, b, ".solution")
                                    : EmitMatmul(node, b, inverse, ".solution"));
  if (vectors) {
    const Dims& dims = y->type.shape.dims();
    ASSIGN_OR_RETURN(y, node.Reshape(y, Dims(dims.begin(), dims.end() - 1), ".vectors"));
  }
  RETURN_IF_ERROR(node.SetOutput(y));
  node.AddUnread(kFactors);
  return absl::OkStatus();
}

constexpr char kInvertible[] = "constant matrices, and computed ones of up to 4 rows";

constexpr OpMapping kInverseMappings[] = {
    {"aten::det", 1, MapOfSquare<Wanted::kDeterminant>, kInvertible},
    {"aten::linalg_det", 1, MapOfSquare<Wanted::kDeterminant>, kInvertible},
    {"aten::_linalg_det", 1, MapOfSquare<Wanted::kDeterminant>, kInvertible},
    {"aten::inverse", 1, MapOfSquare<Wanted::kInverse>, kInvertible},
    {"aten::linalg_inv", 1, MapOfSquare<Wanted::kInverse>, kInvertible},
    {"aten::linalg_inv_ex", 1, MapOfSquare<Wanted::kInverse>, kInvertible},
    {"aten::linalg_solve", 2, MapSolve, kInvertible},
    {"aten::linalg_solve_ex", 2, MapSolve, kInvertible},
    {"aten::_linalg_solve_ex", 2, MapSolve, kInvertible},
};

}  // namespace

absl::Span<const OpMapping> InverseMappings() { return kInverseMappings; }

}  // namespace synap_internal::torchscript_import
