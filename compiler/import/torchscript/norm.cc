// Norms and distances.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

constexpr float kInfiniteOrder = std::numeric_limits<float>::infinity();

// What a norm goes along, and whether these dimensions stay as 1.
struct NormAxes {
  Dims axes;
  bool keep = false;
};

// The p-norm of x along axes, named Name(suffix): (sum |x|^p)^(1/p), the number of elements that
// aren't 0 for p = 0, the extremum of |x| for infinite p.
Emitted EmitNorm(NodeContext& node, const Emitted& x, float p, const NormAxes& along,
                 absl::string_view suffix = "") {
  const auto& [axes, keep] = along;
  if (p == 2) return EmitReduce(node, "reduce_l2", x, axes, keep, suffix);
  if (p == 0) {
    const Emitted truth = node.Cast(x, DataType::kBool, ".nonzero");
    const Emitted ones = node.Cast(truth, DataType::kFloat32, ".ones");
    return EmitReduce(node, "reduce_sum", ones, axes, keep, suffix);
  }
  const Emitted size = node.Emit("abs", {x}, {}, ".abs");
  if (p == 1) return EmitReduce(node, "reduce_sum", size, axes, keep, suffix);
  if (p == kInfiniteOrder) return EmitReduce(node, "reduce_max", size, axes, keep, suffix);
  if (p == -kInfiniteOrder) return EmitReduce(node, "reduce_min", size, axes, keep, suffix);
  const Emitted power = node.Emit("pow", {size, node.Scalar(p, ".order")}, {}, ".power");
  const Emitted sum = EmitReduce(node, "reduce_sum", power, axes, keep, ".sum");
  return node.Emit("pow", {sum, node.Scalar(1 / p, ".inverse_order")}, {}, suffix);
}

// The norm of v over all dimensions but `axis`, which stay as 1; of all of v for -1.
Emitted EmitNormExcept(NodeContext& node, Tensor* v, float p, int64_t axis,
                       absl::string_view suffix) {
  Dims axes = AxesFrom(0, v->type.shape.rank());
  const bool whole = axis == -1;
  if (!whole) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(axis, axes.size()));
    axes.erase(axes.begin() + axis);
  }
  return EmitNorm(node, v, p, {std::move(axes), !whole}, suffix);
}

// Argument 0 as real numbers; a type that argument `type_at` names is one of real numbers.
Emitted RealInput(NodeContext& node, size_t type_at) {
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, type_at, DataType::kFloat32));
  if (type.dtype == DataType::kFloat32) return GetRealTensor(node, 0);
  return absl::InvalidArgumentError("its result isn't of real numbers, expected a floating type");
}

// The dimensions that argument `at` lists, and argument `at` + 1, which keeps them; all dimensions
// if it is None, missing or an empty list.
absl::StatusOr<NormAxes> ReadNormAxes(const NodeContext& node, size_t at, size_t rank) {
  NormAxes along;
  ASSIGN_OR_RETURN(along.axes, node.GetAxesOrAll(at, rank));
  ASSIGN_OR_RETURN(along.keep, node.GetBoolOr(at + 1, false));
  return along;
}

// (x, p, dims, keep_dims, dtype), or (x, p, dtype) for all of x. The Frobenius norm has no p,
// which is 2.
absl::Status MapNorm(NodeContext& node) {
  const bool whole = node.kind() == "aten::norm" && node.size() == 3;
  const bool frobenius = node.kind() == "aten::frobenius_norm";
  const size_t dims_at = frobenius ? 1 : whole ? node.size() : 2;
  const size_t type_at = frobenius ? node.size() : whole ? 2 : 4;
  ASSIGN_OR_RETURN(const float p, frobenius ? 2.0f : node.GetRealOr(1, 2));
  ASSIGN_OR_RETURN(Tensor * x, RealInput(node, type_at));
  ASSIGN_OR_RETURN(const NormAxes along, ReadNormAxes(node, dims_at, x->type.shape.rank()));
  return node.SetOutput(EmitNorm(node, x, p, along));
}

// The norm of each matrix along two axes: "fro", or the extremum of the sums of its columns (1) or
// rows (infinity).
Emitted EmitMatrixNorm(NodeContext& node, const Emitted& x, float p, NormAxes along) {
  const bool columns = std::abs(p) == 1, rows = std::abs(p) == kInfiniteOrder;
  if (!columns && !rows) {
    return absl::UnimplementedError(absl::StrCat(
        "its matrix norm of order ", p, " is one of singular values, which have no composition"));
  }
  const Emitted size = node.Emit("abs", {x}, {}, ".abs");
  const int64_t summed = along.axes[columns ? 0 : 1], other = along.axes[columns ? 1 : 0];
  const Emitted sums = EmitReduce(node, "reduce_sum", size, {summed}, true, ".sums");
  const char* op = p > 0 ? "reduce_max" : "reduce_min";
  const Emitted y = EmitReduce(node, op, sums, {other}, true, along.keep ? "" : ".norm");
  if (along.keep) return y;
  ASSIGN_OR_RETURN(const Tensor* kept, y);
  ASSIGN_OR_RETURN(Dims dims, SqueezedDims(kept->type.shape, along.axes));
  return node.Reshape(y, std::move(dims));
}

// An order that has a name: "fro", the p-norm 2 of a matrix's elements.
absl::Status CheckNamedOrder(const std::string& name) {
  if (name == "fro") return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("its norm '", name, "' is one of singular values, which have no composition"));
}

// (x, order, dims, keep_dims, dtype). linalg_norm without an order is the 2-norm of all elements;
// with one it is of vectors along one dimension, else of matrices.
absl::Status MapLinalgNorm(NodeContext& node) {
  const bool matrix_only = node.kind() == "aten::linalg_matrix_norm";
  ASSIGN_OR_RETURN(Tensor * x, RealInput(node, 4));
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(NormAxes along, ReadNormAxes(node, 2, rank));
  if (matrix_only && !node.Has(2)) {
    ASSIGN_OR_RETURN(along.axes, ResolveAxes({-2, -1}, rank));
  }
  const auto* name = node.Has(1) ? node.argument(1).Get<std::string>() : nullptr;
  if (name != nullptr) RETURN_IF_ERROR(CheckNamedOrder(*name));
  if (name != nullptr || !node.Has(1)) return node.SetOutput(EmitNorm(node, x, 2, along));
  ASSIGN_OR_RETURN(const float p, node.GetReal(1));
  if (along.axes.size() == 2) return node.SetOutput(EmitMatrixNorm(node, x, p, along));
  if (along.axes.size() == 1) return node.SetOutput(EmitNorm(node, x, p, along));
  return absl::InvalidArgumentError(
      absl::StrCat("its norm goes along ", along.axes.size(), " dimensions, expected 1 or 2"));
}

// (x, p, dim, maxnorm): slices along a dimension whose norm is above the largest one are scaled to
// it.
absl::Status MapRenorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const float p, node.GetReal(1));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(2, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const float largest, node.GetReal(3));
  const Emitted norm = EmitNormExcept(node, x, p, axis, ".norm");
  Tensor* most = node.Scalar(largest, ".most");
  const Emitted divisor = node.Emit("add", {norm, node.Scalar(1e-7f, ".eps")}, {}, ".divisor");
  const Emitted factor = node.Emit("div", {most, divisor}, {}, ".factor");
  const Emitted above = node.Emit("greater", {norm, most}, {}, ".above");
  const Emitted scale = node.Emit("where", {above, factor, node.Scalar(1, ".one")}, {}, ".scale");
  return node.SetOutput(node.Emit("mul", {x, scale}));
}

// --- Distances

// (a, b, p): the norm of the difference of all elements.
absl::Status MapDist(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(2, 2));
  ASSIGN_OR_RETURN(Tensor * difference, node.Emit("sub", {x.a, x.b}, {}, ".difference"));
  const Dims axes = AxesFrom(0, difference->type.shape.rank());
  return node.SetOutput(EmitNorm(node, difference, p, {axes, false}));
}

// (a, b, p, eps, keep_dims): the norm of a - b + eps along the last dimension.
absl::Status MapPairwiseDistance(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(2, 2));
  ASSIGN_OR_RETURN(const float eps, node.GetRealOr(3, 1e-6f));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(4, false));
  const Emitted difference = node.Emit("sub", {x.a, x.b}, {}, ".difference");
  const Emitted moved = node.Emit("add", {difference, node.Scalar(eps, ".eps")}, {}, ".moved");
  return node.SetOutput(EmitNorm(node, moved, p, {{-1}, keep}));
}

// The length of x along an axis, `least` or more, which stays as a dimension of 1.
Emitted EmitLength(NodeContext& node, Tensor* x, int64_t axis, float least,
                   absl::string_view suffix) {
  const Emitted length = EmitReduce(node, "reduce_l2", x, {axis}, true, suffix);
  return node.Emit("maximum", {length, node.Scalar(least, ".least")}, {}, suffix);
}

// (a, b, dim, eps): the product of both, each divided by its length.
absl::Status MapCosineSimilarity(NodeContext& node) {
  ASSIGN_OR_RETURN(Operands x, GetPromoted(node, DataType::kFloat32));
  ASSIGN_OR_RETURN(x, Broadcast(node, x));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, x.a->type.shape.rank(), 1));
  ASSIGN_OR_RETURN(const float eps, node.GetRealOr(3, 1e-8f));
  const Emitted a =
      node.Emit("div", {x.a, EmitLength(node, x.a, axis, eps, ".a_length")}, {}, ".a_unit");
  const Emitted b =
      node.Emit("div", {x.b, EmitLength(node, x.b, axis, eps, ".b_length")}, {}, ".b_unit");
  const Emitted product = node.Emit("mul", {a, b}, {}, ".product");
  return node.SetOutput(EmitReduce(node, "reduce_sum", product, {axis}, false));
}

// a [..., P, M] and b [..., R, M] as [..., P, 1, M] - [..., 1, R, M].
Emitted EmitDifferences(NodeContext& node, Tensor* a, Tensor* b) {
  ASSIGN_OR_RETURN(Dims rows, UnsqueezedDims(a->type.shape, {-2}));
  ASSIGN_OR_RETURN(Dims columns, UnsqueezedDims(b->type.shape, {-3}));
  return node.Emit(
      "sub",
      {node.Reshape(a, std::move(rows), ".rows"), node.Reshape(b, std::move(columns), ".columns")},
      {}, ".differences");
}

// sqrt(|a|^2 + |b|^2 - 2 a b) of the rows of both, [..., P, R].
Emitted EmitEuclideanDistances(NodeContext& node, Tensor* a, Tensor* b) {
  const auto square = [&](Tensor* x, absl::string_view suffix) {
    const Emitted squares = node.Emit("square", {x}, {}, suffix);
    return EmitReduce(node, "reduce_sum", squares, {-1}, true, suffix);
  };
  const Emitted columns = EmitMatrixTranspose(node, square(b, ".b_square"), ".b_squares");
  const Emitted sum = node.Emit("add", {square(a, ".a_square"), columns}, {}, ".squares");
  const Emitted product =
      EmitMatmul(node, a, EmitMatrixTranspose(node, b, ".b_columns"), ".product");
  const Emitted twice = node.Scale(product, 2, ".twice");
  const Emitted rest = node.Emit("sub", {sum, twice}, {}, ".rest");
  // Roundings may leave less than 0.
  return node.Emit("sqrt", {node.Emit("relu", {rest}, {}, ".positive")});
}

// (a [..., P, M], b [..., R, M], p, mode): the distances of each row of a from each of b. As in
// PyTorch, Euclidean ones of more than 25 rows are a matrix product, if the mode allows that.
absl::Status MapCdist(NodeContext& node) {
  constexpr int64_t kManyRows = 25, kAlwaysProduct = 1, kNeverProduct = 2;
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  const Shape &a = x.a->type.shape, &b = x.b->type.shape;
  if (a.rank() < 2 || b.rank() < 2 || a.back() != b.back()) {
    return absl::InvalidArgumentError(absl::StrCat("its operands are ", a.ToString(), " and ",
                                                   b.ToString(),
                                                   ", expected [...,P,M] and [...,R,M]"));
  }
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(2, 2));
  ASSIGN_OR_RETURN(const int64_t mode, node.GetIntOr(3, 0));
  const bool many = a[a.rank() - 2] > kManyRows || b[b.rank() - 2] > kManyRows;
  const bool product = mode == kAlwaysProduct || (mode != kNeverProduct && many);
  if (p == 2 && product) return node.SetOutput(EmitEuclideanDistances(node, x.a, x.b));
  return node.SetOutput(EmitNorm(node, EmitDifferences(node, x.a, x.b), p, {{-1}, false}));
}

// (a, b) as cdist's matrix product.
absl::Status MapEuclideanDistances(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operands x, GetPromoted(node, DataType::kFloat32));
  return node.SetOutput(EmitEuclideanDistances(node, x.a, x.b));
}

// (x [N, M], p): the distances of row i from each row j > i, [N (N - 1) / 2].
absl::Status MapPdist(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(1, 2));
  if (x->type.shape.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x->type.shape.ToString(), ", expected a matrix"));
  }
  const int64_t rows = x->type.shape[0];
  RETURN_IF_ERROR(Shape({rows, rows}).Validate());
  RETURN_IF_ERROR(node.builder().Charge(rows * rows * int64_t{sizeof(int64_t)}));
  Dims first, second;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i + 1; j < rows; ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  }
  Tensor* firsts = node.builder().AddInts(node.Name(".first"), first);
  Tensor* seconds = node.builder().AddInts(node.Name(".second"), second);
  const Emitted a = EmitGather(node, x, firsts, 0, ".a");
  const Emitted b = EmitGather(node, x, seconds, 0, ".b");
  const Emitted difference = node.Emit("sub", {a, b}, {}, ".difference");
  return node.SetOutput(EmitNorm(node, difference, p, {{1}, false}));
}

// --- Weight normalization

// (v, p, dim)
absl::Status MapNormExceptDim(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * v, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(1, 2));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(2, 0));
  return node.SetOutput(EmitNormExcept(node, v, p, axis, ""));
}

// (v, g, dim): v * g / |v|; _weight_norm_interface gives |v| too.
absl::Status MapWeightNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * v, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(2, 0));
  const Emitted norm = EmitNormExcept(node, v, 2, axis, ".norm");
  const Emitted factor = node.Emit("div", {GetRealTensor(node, 1), norm}, {}, ".factor");
  const Emitted weight = node.Emit("mul", {v, factor});
  if (node.kind() == "aten::_weight_norm") return node.SetOutput(weight);
  return node.SetTensors({weight, norm});
}

constexpr char kMatrixNorms[] = "of matrices the norms 'fro', 1, -1, inf and -inf";

constexpr OpMapping kNormMappings[] = {
    {"aten::norm", 1, MapNorm},
    {"aten::frobenius_norm", 1, MapNorm},
    {"aten::linalg_vector_norm", 1, MapNorm},
    {"aten::linalg_norm", 1, MapLinalgNorm, kMatrixNorms},
    {"aten::linalg_matrix_norm", 1, MapLinalgNorm, kMatrixNorms},
    {"aten::renorm", 4, MapRenorm},
    {"aten::dist", 2, MapDist},
    {"aten::pairwise_distance", 2, MapPairwiseDistance},
    {"aten::cosine_similarity", 2, MapCosineSimilarity},
    {"aten::cdist", 2, MapCdist},
    {"aten::_cdist_forward", 2, MapCdist},
    {"aten::_euclidean_dist", 2, MapEuclideanDistances},
    {"aten::pdist", 1, MapPdist},
    {"aten::_pdist_forward", 1, MapPdist},
    {"aten::norm_except_dim", 1, MapNormExceptDim},
    {"aten::_weight_norm", 2, MapWeightNorm},
    {"aten::_weight_norm_interface", 2, MapWeightNorm},
};

}  // namespace

absl::Span<const OpMapping> NormMappings() { return kNormMappings; }

}  // namespace synap_internal::torchscript_import
