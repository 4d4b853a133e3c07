// Products of vectors, matrices and tensors beyond a matrix product.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/constant.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// --- Products without sums

// a [N] and b [M]: a[i] b[j], [N, M].
Emitted EmitOuter(NodeContext& node, const Operands& x, absl::string_view suffix = "") {
  const Emitted a = node.Reshape(x.a, {x.a->type.shape.elements(), 1}, ".column");
  const Emitted b = node.Reshape(x.b, {1, x.b->type.shape.elements()}, ".row");
  return node.Emit("mul", {a, b}, {}, suffix);
}

absl::Status MapOuter(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  return node.SetOutput(EmitOuter(node, x));
}

// (x, vector, vector, beta, alpha)
absl::Status MapAddr(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32, 1));
  return node.SetOutput(
      EmitWeightedSum(node, GetRealTensor(node, 0), EmitOuter(node, x, ".product"), 3));
}

// Each element of a times all of b: [a0, 1, a1, 1] * [1, b0, 1, b1] as [a0 b0, a1 b1].
absl::Status MapKron(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  Dims a = x.a->type.shape.dims(), b = x.b->type.shape.dims();
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  Dims wide, high, dims;
  for (size_t i = 0; i < rank; ++i) {
    wide.insert(wide.end(), {a[i], 1});
    high.insert(high.end(), {1, b[i]});
    RETURN_IF_ERROR(Shape({a[i], b[i]}).Validate());
    dims.push_back(a[i] * b[i]);
  }
  const Emitted product = node.Emit(
      "mul",
      {node.Reshape(x.a, std::move(wide), ".wide"), node.Reshape(x.b, std::move(high), ".high")},
      {}, ".product");
  return node.SetOutput(node.Reshape(product, std::move(dims)));
}

// vander (x, n, increasing) and linalg_vander (x, n), which is increasing: each element to the
// powers of 0 to n - 1, n by default as many as there are elements.
absl::Status MapVander(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const int64_t n, node.GetIntOr(1, x->type.shape.back()));
  if (n < 0) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", n, " columns, expected 0 or more"));
  }
  ASSIGN_OR_RETURN(const bool increasing, node.kind() == "aten::linalg_vander"
                                              ? absl::StatusOr<bool>(true)
                                              : node.GetBoolOr(2, false));
  ASSIGN_OR_RETURN(Dims dims, UnsqueezedDims(x->type.shape, {-1}));
  ASSIGN_OR_RETURN(Tensor * column, node.Reshape(x, std::move(dims), ".column"));
  ASSIGN_OR_RETURN(Tensor * exponents, EmitRange(node, increasing ? 0 : n - 1, increasing ? n : -1,
                                                 increasing ? 1 : -1, ".exponents"));
  return node.SetOutput(EmitOperator(node, "aten::pow", {Value::Of(column), Value::Of(exponents)}));
}

// --- Products with sums

// The sum of a * b along one axis.
Emitted EmitDot(NodeContext& node, const Operands& x, int64_t axis) {
  const Emitted product = node.Emit("mul", {x.a, x.b}, {}, ".product");
  return EmitReduce(node, "reduce_sum", product, {axis}, false);
}

// vdot (a, b) of vectors; linalg_vecdot (a, b, dim).
absl::Status MapVecDot(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(2, -1));
  return node.SetOutput(EmitDot(node, x, axis));
}

absl::Status MismatchOf(const Operands& x, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("its operands are ", x.a->type.shape.ToString(),
                                                 " and ", x.b->type.shape.ToString(), ", expected ",
                                                 expected));
}

struct SummedAxes {
  Dims a, b;
};

// x with the dimensions that are summed at its end (or, of the second operand, at its begin), as
// a matrix.
Emitted AsFactor(NodeContext& node, Tensor* x, const Dims& kept, const Dims& summed,
                 bool summed_last, absl::string_view suffix) {
  Dims perm = summed_last ? kept : summed;
  const Dims& rest = summed_last ? summed : kept;
  perm.insert(perm.end(), rest.begin(), rest.end());
  int64_t rows = 1, columns = 1;
  for (size_t i = 0; i < perm.size(); ++i) {
    const bool first = i < perm.size() - rest.size();
    (first ? rows : columns) *= x->type.shape[static_cast<size_t>(perm[i])];
  }
  Emitted ordered = x;
  if (perm != AxesFrom(0, perm.size())) ordered = node.Transpose(x, std::move(perm), suffix);
  return node.Reshape(ordered, {rows, columns}, suffix);
}

// The products of all elements of a and b, summed over pairs of dimensions: those of a that are
// left, then those of b.
Emitted EmitTensordot(NodeContext& node, const Operands& x, const SummedAxes& summed) {
  const Shape &a = x.a->type.shape, &b = x.b->type.shape;
  bool fits = summed.a.size() == summed.b.size();
  for (size_t i = 0; fits && i < summed.a.size(); ++i) {
    fits = a[static_cast<size_t>(summed.a[i])] == b[static_cast<size_t>(summed.b[i])];
  }
  if (!fits) return MismatchOf(x, "equal dimensions where it sums");
  const Dims a_kept = OtherAxes(*x.a, summed.a), b_kept = OtherAxes(*x.b, summed.b);
  Dims dims;
  for (const int64_t axis : a_kept) dims.push_back(a[static_cast<size_t>(axis)]);
  for (const int64_t axis : b_kept) dims.push_back(b[static_cast<size_t>(axis)]);
  const Emitted rows = AsFactor(node, x.a, a_kept, summed.a, true, ".rows");
  const Emitted columns = AsFactor(node, x.b, b_kept, summed.b, false, ".columns");
  return node.Reshape(EmitMatmul(node, rows, columns, ".product"), std::move(dims));
}

// (a, b, dims of a, dims of b)
absl::Status MapTensordot(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  SummedAxes summed;
  ASSIGN_OR_RETURN(summed.a, node.GetInts(2));
  ASSIGN_OR_RETURN(summed.b, node.GetInts(3));
  ASSIGN_OR_RETURN(summed.a, ResolveAxes(std::move(summed.a), x.a->type.shape.rank()));
  ASSIGN_OR_RETURN(summed.b, ResolveAxes(std::move(summed.b), x.b->type.shape.rank()));
  return node.SetOutput(EmitTensordot(node, x, summed));
}

// Sums over the last dimension of both; a scalar is a factor.
absl::Status MapInner(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  const auto a = static_cast<int64_t>(x.a->type.shape.rank());
  const auto b = static_cast<int64_t>(x.b->type.shape.rank());
  if (a == 0 || b == 0) return node.SetOutput(node.Emit("mul", {x.a, x.b}));
  return node.SetOutput(EmitTensordot(node, x, {{a - 1}, {b - 1}}));
}

// The matrices of a list multiplied from left to right; the first and the last may be vectors.
absl::Status MapMultiDot(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> factors, node.GetTensors(0));
  if (factors.empty()) {
    return absl::InvalidArgumentError("its list of matrices is empty, expected one or more");
  }
  Emitted y = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) {
    OpEmitter step = node.Step(static_cast<int64_t>(i));
    y = EmitMatmul(step, y, factors[i]);
  }
  return node.SetOutput(y);
}

// (x, matrix, n) to the power of n >= 0, by repeated squaring.
absl::Status MapMatrixPower(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(int64_t exponent, node.GetInt(1));
  if (exponent < 1) {
    return absl::UnimplementedError(
        absl::StrCat("its exponent is ", exponent, ", expected 1 or more"));
  }
  Emitted square = x, y = nullptr;
  for (int64_t step = 0; exponent > 0; exponent /= 2, ++step) {
    OpEmitter of_step = node.Step(step);
    if (exponent % 2 != 0) y = IsGiven(y) ? EmitMatmul(of_step, y, square, ".power") : square;
    if (exponent > 1) square = EmitMatmul(of_step, square, square, ".square");
  }
  return node.SetOutput(y);
}

// (x, a [B, N, K], b [B, K, M], beta, alpha): beta * x + alpha * the sum of all products, which is
// one product of [N, B K] and [B K, M].
absl::Status MapAddbmm(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32, 1));
  const Shape a = x.a->type.shape, b = x.b->type.shape;
  const bool fits = a.rank() == 3 && b.rank() == 3 && a[0] == b[0] && a[2] == b[1];
  if (!fits) return MismatchOf(x, "[B,N,K] and [B,K,M]");
  const Emitted rows = node.Transpose(x.a, {1, 0, 2}, ".rows");
  const Emitted product = EmitMatmul(node, node.Reshape(rows, {a[1], a[0] * a[2]}, ".wide"),
                                     node.Reshape(x.b, {b[0] * b[1], b[2]}, ".high"), ".product");
  return node.SetOutput(EmitWeightedSum(node, GetRealTensor(node, 0), product, 3));
}

// (a, b, dim): a[1] b[2] - a[2] b[1] and so on along a dimension of 3; without one the first such,
// of linalg_cross the last.
absl::Status MapCross(NodeContext& node) {
  ASSIGN_OR_RETURN(Operands x, GetPromoted(node));
  ASSIGN_OR_RETURN(x, Broadcast(node, x));
  const Dims& dims = x.a->type.shape.dims();
  auto axis = static_cast<int64_t>(std::find(dims.begin(), dims.end(), 3) - dims.begin());
  if (node.Has(2) || node.kind() == "aten::linalg_cross") {
    ASSIGN_OR_RETURN(axis, node.GetAxisOr(2, dims.size(), -1));
  }
  if (axis >= static_cast<int64_t>(dims.size()) || dims[static_cast<size_t>(axis)] != 3) {
    return MismatchOf(x, "a dimension of 3");
  }
  const auto turned = [&](Tensor* of, const Dims& order, absl::string_view suffix) {
    return EmitGather(node, of, node.builder().AddInts(node.Name(suffix), order), axis, suffix);
  };
  const Dims next = {1, 2, 0}, last = {2, 0, 1};
  const Emitted a_next = turned(x.a, next, ".a_next"), a_last = turned(x.a, last, ".a_last");
  const Emitted b_next = turned(x.b, next, ".b_next"), b_last = turned(x.b, last, ".b_last");
  const Emitted plus = node.Emit("mul", {a_next, b_last}, {}, ".plus");
  const Emitted minus = node.Emit("mul", {a_last, b_next}, {}, ".minus");
  return node.SetOutput(node.Emit("sub", {plus, minus}));
}

constexpr OpMapping kProductMappings[] = {
    {"aten::outer", 2, MapOuter},
    {"aten::ger", 2, MapOuter},
    {"aten::addr", 3, MapAddr},
    {"aten::kron", 2, MapKron},
    {"aten::vdot", 2, MapVecDot},
    {"aten::linalg_vecdot", 2, MapVecDot},
    {"aten::tensordot", 4, MapTensordot},
    {"aten::inner", 2, MapInner},
    {"aten::chain_matmul", 1, MapMultiDot},
    {"aten::linalg_multi_dot", 1, MapMultiDot},
    {"aten::matrix_power", 2, MapMatrixPower, "positive exponents"},
    {"aten::linalg_matrix_power", 2, MapMatrixPower, "positive exponents"},
    {"aten::addbmm", 3, MapAddbmm},
    {"aten::cross", 2, MapCross},
    {"aten::linalg_cross", 2, MapCross},
    {"aten::vander", 1, MapVander},
    {"aten::linalg_vander", 1, MapVander},
};

}  // namespace

absl::Span<const OpMapping> ProductMappings() { return kProductMappings; }

}  // namespace synap_internal::torchscript_import
