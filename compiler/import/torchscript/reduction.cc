// Reductions along axes.
#include "compiler/import/emit/reduction.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// The axes that a reduction goes along: all if argument `at` is None, missing or an empty list.
absl::StatusOr<Dims> ReadAxes(const NodeContext& node, size_t at, size_t rank) {
  Dims axes;
  if (node.Has(at)) {
    const bool list = node.argument(at).AsList() != nullptr;
    ASSIGN_OR_RETURN(axes, list ? node.GetInts(at) : node.GetIntsOf(at, 1));
  }
  return axes.empty() ? AxesFrom(0, rank) : ResolveAxes(std::move(axes), rank);
}

struct Typed {
  Tensor* x;
  bool is_uint8;
};

// x as the type that argument `at` names; x itself without one.
absl::StatusOr<Typed> AsType(NodeContext& node, Tensor* x, size_t at) {
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, at, x->type.dtype));
  if (type.dtype == DataType::kBool && node.Has(at)) {
    return absl::UnimplementedError("its result has type bool");
  }
  ASSIGN_OR_RETURN(x, node.Cast(x, type.dtype, ".typed"));
  return Typed{x, type.is_uint8.value_or(false)};
}

// (x, dims, keep_dims, dtype), or (x, dtype) for all of x.
template <OpName kOp>
absl::Status MapReduce(NodeContext& node) {
  constexpr absl::string_view op = kOp;
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool whole = node.size() < 3;
  // Of (x, dim) too the second argument is a dimension.
  constexpr bool extremum = op == "reduce_max" || op == "reduce_min";
  const size_t type_at = whole ? 1 : 3;
  ASSIGN_OR_RETURN(const Dims axes,
                   ReadAxes(node, whole && !extremum ? node.size() : 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(whole ? node.size() : 2, false));
  // Sums and products of integers are int64 unless a type is given.
  std::optional<bool> is_uint8;
  if (!extremum) {
    ASSIGN_OR_RETURN(const Typed typed, AsType(node, x, type_at));
    x = typed.x;
    is_uint8 = typed.is_uint8;
  }
  Emitted y = x;
  if (x->type.dtype == DataType::kBool) y = node.Cast(x, DataType::kInt64, ".integers");
  if (op == "reduce_mean") y = node.Cast(y, DataType::kFloat32, ".real");
  return node.SetOutput(EmitReduce(node, op, y, axes, keep), is_uint8);
}

// The largest element of x, that of two tensors, or that along an axis with its index.
absl::Status MapMax(NodeContext& node) {
  const bool max = node.kind() == "aten::max";
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  const absl::string_view op = max ? "reduce_max" : "reduce_min";
  if (node.size() == 1) {
    ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, 1, rank));
    return node.SetOutput(EmitReduce(node, op, x, axes, false));
  }
  if (node.argument(1).IsTensor()) {
    return node.SetOutput(node.Emit(max ? "maximum" : "minimum", {x, node.GetTensor(1)}));
  }
  ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, 1, rank));
  if (axes.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it goes along ", axes.size(), " dimensions, expected 1"));
  }
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  ASSIGN_OR_RETURN(Tensor * y, EmitReduce(node, op, x, axes, keep));
  ASSIGN_OR_RETURN(Tensor * index, max ? EmitArgMax(node, x, axes[0], keep, ".indices")
                                       : EmitArgMin(node, x, axes[0], keep, ".indices"));
  return node.SetOutputs({Value::Of(y), Value::Of(index, false)});
}

// (x, dim, keep_dim); without a dimension the index is that of x as a list.
absl::Status MapArgMax(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  const Emitted y = node.Has(1) ? x : node.Reshape(x, {x->type.shape.elements()}, ".list");
  const bool max = node.kind() == "aten::argmax";
  return node.SetOutput(max ? EmitArgMax(node, y, axis, keep) : EmitArgMin(node, y, axis, keep),
                        false);
}

// Variance over n or (unbiased) n - 1 elements; of std its square root.
// (x, dims, unbiased or correction, keep_dims) or (x, unbiased).
absl::Status MapVariance(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool whole = node.size() == 2 && node.argument(1).Get<bool>() != nullptr;
  ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, whole ? 2 : 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const int64_t correction, node.GetIntOr(whole ? 1 : 2, 1));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(3, false));
  const Emitted mean = EmitReduce(node, "reduce_mean", x, axes, true, ".mean");
  const Emitted centered = node.Emit("sub", {x, mean}, {}, ".centered");
  const Emitted square = node.Emit("square", {centered}, {}, ".square");
  Emitted y = EmitReduce(node, "reduce_mean", square, axes, keep, ".variance");
  float count = 1;
  for (const int64_t axis : axes)
    count *= static_cast<float>(x->type.shape[static_cast<size_t>(axis)]);
  const float factor = correction == 0 ? 1 : count / (count - static_cast<float>(correction));
  y = node.Scale(y, factor, ".unbiased");
  return node.SetOutput(node.kind() == "aten::std" ? node.Emit("sqrt", {y}) : y);
}

// (x, p, dims, keep_dims, dtype), or (x, p, dtype) for all of x. The Frobenius norm has no p,
// which is 2.
absl::Status MapNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const bool whole = node.kind() == "aten::norm" && node.size() == 3;
  const bool frobenius = node.kind() == "aten::frobenius_norm";
  const size_t dims_at = frobenius ? 1 : whole ? node.size() : 2;
  ASSIGN_OR_RETURN(const float p, frobenius ? 2.0f : node.GetRealOr(1, 2));
  if (!frobenius) {
    ASSIGN_OR_RETURN(const Typed typed, AsType(node, x, whole ? 2 : 4));
    x = typed.x;
  }
  const Emitted real = node.Cast(x, DataType::kFloat32, ".real");
  ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, dims_at, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(dims_at + 1, false));
  if (p == 2) return node.SetOutput(EmitReduce(node, "reduce_l2", real, axes, keep));
  if (p != 1) {
    return absl::UnimplementedError(absl::StrCat("its norm has p = ", p));
  }
  const Emitted magnitudes = node.Emit("abs", {real}, {}, ".abs");
  return node.SetOutput(EmitReduce(node, "reduce_sum", magnitudes, axes, keep));
}

absl::Status MapLogSumExp(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  return node.SetOutput(EmitLogSumExp(node, x, axes, keep));
}

absl::Status MapCumSum(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const Typed typed, AsType(node, x, 2));
  return node.SetOutput(node.Emit("cumsum", {typed.x}, {{"axis", axis}}), typed.is_uint8);
}

// Whether any element, or all, are true.
absl::Status MapAny(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted truth = node.Cast(x, DataType::kBool, ".bool");
  const Emitted integers = node.Cast(truth, DataType::kInt64, ".integers");
  ASSIGN_OR_RETURN(const Dims axes, ReadAxes(node, 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  const char* op = node.kind() == "aten::any" ? "reduce_max" : "reduce_min";
  const Emitted y = EmitReduce(node, op, integers, axes, keep, ".reduced");
  return node.SetOutput(node.Cast(y, DataType::kBool, ""));
}

constexpr char kScalarResults[] = "results that are numbers";
constexpr char kNorms[] = "the norms 1 and 2";

constexpr OpMapping kReductionMappings[] = {
    {"aten::mean", 1, MapReduce<"reduce_mean">, kScalarResults},
    {"aten::sum", 1, MapReduce<"reduce_sum">, kScalarResults},
    {"aten::prod", 1, MapReduce<"reduce_prod">, kScalarResults},
    {"aten::amax", 1, MapReduce<"reduce_max">, kScalarResults},
    {"aten::amin", 1, MapReduce<"reduce_min">, kScalarResults},
    {"aten::max", 1, MapMax},
    {"aten::min", 1, MapMax},
    {"aten::argmax", 1, MapArgMax},
    {"aten::argmin", 1, MapArgMax},
    {"aten::var", 1, MapVariance},
    {"aten::std", 1, MapVariance},
    {"aten::norm", 1, MapNorm, kNorms},
    {"aten::frobenius_norm", 1, MapNorm},
    {"aten::linalg_vector_norm", 1, MapNorm, kNorms},
    {"aten::logsumexp", 2, MapLogSumExp},
    {"aten::cumsum", 2, MapCumSum, kScalarResults},
    {"aten::any", 1, MapAny},
    {"aten::all", 1, MapAny},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::torchscript_import
