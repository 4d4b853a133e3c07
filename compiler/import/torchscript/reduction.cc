// Reductions along axes.
#include "compiler/import/emit/reduction.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Whether dimensions of 1 stay in place of those that the reduction goes along; of scalars none do.
absl::StatusOr<bool> GetKeep(const NodeContext& node, size_t at) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(at, false));
  return keep && x->type.shape.rank() > 0;
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
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  const bool whole = node.size() < 3;
  // Of (x, dim) too the second argument is a dimension.
  constexpr bool extremum = op == "reduce_max" || op == "reduce_min";
  const size_t type_at = whole ? 1 : 3;
  ASSIGN_OR_RETURN(const Dims axes,
                   node.GetAxesOrAll(whole && !extremum ? node.size() : 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, whole ? node.size() : 2));
  // Sums and products of integers are int64 unless a type is given.
  std::optional<bool> is_uint8;
  if (!extremum) {
    ASSIGN_OR_RETURN(const Typed typed, AsType(node, x, type_at));
    x = typed.x;
    is_uint8 = typed.is_uint8;
  }
  const bool flags = x->type.dtype == DataType::kBool;
  Emitted y = flags ? node.Cast(x, DataType::kInt64, ".integers") : x;
  if (op == "reduce_mean") y = node.Cast(y, DataType::kFloat32, ".real");
  if (!extremum || !flags) return node.SetOutput(EmitReduce(node, op, y, axes, keep), is_uint8);
  return node.SetOutput(
      node.Cast(EmitReduce(node, op, y, axes, keep, ".reduced"), DataType::kBool));
}

// The largest element of x, that of two tensors, or that along an axis with its index.
absl::Status MapMax(NodeContext& node) {
  const bool max = node.kind() == "aten::max";
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  const size_t rank = x->type.shape.rank();
  const absl::string_view op = max ? "reduce_max" : "reduce_min";
  if (node.size() == 1) {
    ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, rank));
    return node.SetOutput(EmitReduce(node, op, x, axes, false));
  }
  if (node.argument(1).IsTensor()) return SetExtremum(node, max);
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, rank));
  if (axes.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it goes along ", axes.size(), " dimensions, expected 1"));
  }
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  ASSIGN_OR_RETURN(Tensor * y, EmitReduce(node, op, x, axes, keep));
  ASSIGN_OR_RETURN(Tensor * index, max ? EmitArgMax(node, x, axes[0], keep, ".indices")
                                       : EmitArgMin(node, x, axes[0], keep, ".indices"));
  return node.SetOutputs({Value::Of(y), Value::Of(index, false)});
}

// (x, dim, keep_dim); without a dimension the index is that of x as a list, and all dimensions of
// those that stay are 1.
absl::Status MapArgMax(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  const Emitted y = node.Has(1) ? x : EmitFlat(node, x, ".list");
  const bool max = node.kind() == "aten::argmax", apart = keep && !node.Has(1);
  const absl::string_view suffix = apart ? ".index" : "";
  const Emitted index =
      max ? EmitArgMax(node, y, axis, keep, suffix) : EmitArgMin(node, y, axis, keep, suffix);
  if (!apart) return node.SetOutput(index, false);
  return node.SetOutput(node.Reshape(index, Dims(x->type.shape.rank(), 1)), false);
}

// Variance over n or (unbiased) n - 1 elements, in general n - correction; of std its square root;
// of var_mean and std_mean the mean too. (x, dims, unbiased or correction, keep_dims) or
// (x, unbiased).
absl::Status MapVariance(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(GetListOrMore(node), DataType::kFloat32, ".real"));
  const bool whole = node.size() == 2 && node.argument(1).Get<bool>() != nullptr;
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(whole ? 2 : 1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const float correction, node.GetRealOr(whole ? 1 : 2, 1));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 3));
  const Emitted mean = EmitReduce(node, "reduce_mean", x, axes, true, ".mean");
  const Emitted centered = node.Emit("sub", {x, mean}, {}, ".centered");
  const Emitted square = node.Emit("square", {centered}, {}, ".square");
  Emitted y = EmitReduce(node, "reduce_mean", square, axes, keep, ".variance");
  float count = 1;
  for (const int64_t axis : axes)
    count *= static_cast<float>(x->type.shape[static_cast<size_t>(axis)]);
  const float factor = correction == 0 ? 1 : count / std::max(count - correction, 0.0f);
  y = node.Scale(y, factor, ".unbiased");
  if (absl::StartsWith(node.kind(), "aten::std")) y = node.Emit("sqrt", {y});
  if (!absl::EndsWith(node.kind(), "_mean")) return node.SetOutput(y);
  ASSIGN_OR_RETURN(const Tensor* deviation, y);
  return node.SetTensors({y, node.Reshape(mean, deviation->type.shape.dims(), ".mean_shaped")});
}

// (x, dim, keep_dims): the smallest and the largest element.
absl::Status MapAMinMax(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  const bool flags = x->type.dtype == DataType::kBool;
  const Emitted numbers = flags ? node.Cast(x, DataType::kInt64, ".integers") : x;
  const Emitted min = EmitReduce(node, "reduce_min", numbers, axes, keep, ".min");
  const Emitted max = EmitReduce(node, "reduce_max", numbers, axes, keep, ".max");
  return node.SetTensors(
      {node.Cast(min, x->type.dtype, ".least"), node.Cast(max, x->type.dtype, ".most")});
}

// (x, dims): how many elements aren't 0.
absl::Status MapCountNonZero(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, x->type.shape.rank()));
  const Emitted truth = node.Cast(x, DataType::kBool, ".bool");
  const Emitted integers = node.Cast(truth, DataType::kInt64, ".integers");
  return node.SetOutput(EmitReduce(node, "reduce_sum", integers, axes, false), false);
}

// nansum and nanmean (x, dims, keep_dims, dtype): of the elements that are numbers.
absl::Status MapNanReduce(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  ASSIGN_OR_RETURN(const Typed typed, AsType(node, x, 3));
  x = typed.x;
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  if (x->type.dtype == DataType::kBool) {
    ASSIGN_OR_RETURN(x, node.Cast(x, DataType::kInt64, ".integers"));
  }
  if (x->type.dtype != DataType::kFloat32) {
    return node.SetOutput(EmitReduce(node, "reduce_sum", x, axes, keep), typed.is_uint8);
  }
  const Emitted number = node.Emit("equal", {x, x}, {}, ".number");
  const Emitted known = node.Emit("where", {number, x, node.Scalar(0, ".zero")}, {}, ".known");
  const bool mean = node.kind() == "aten::nanmean";
  const Emitted sum = EmitReduce(node, "reduce_sum", known, axes, keep, mean ? ".sum" : "");
  if (!mean) return node.SetOutput(sum);
  const Emitted ones = node.Cast(number, DataType::kFloat32, ".ones");
  const Emitted count = EmitReduce(node, "reduce_sum", ones, axes, keep, ".count");
  return node.SetOutput(node.Emit("div", {sum, count}));
}

// (x, dims): the sum over the dimensions that `dims` lacks or has as 1, so that the result would
// broadcast to x.
absl::Status MapSumToSize(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims dims, node.GetInts(1));
  const Shape shape = x->type.shape, size(dims);
  RETURN_IF_ERROR(size.Validate());
  ASSIGN_OR_RETURN(const Dims whole, BroadcastDims(size, shape));
  if (whole != shape.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("it sums ", shape.ToString(), " to ",
                                                   size.ToString(),
                                                   ", which doesn't broadcast to "
                                                   "that"));
  }
  const size_t before = shape.rank() - size.rank();
  Dims axes;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (i < before || (dims[i - before] == 1 && shape[i] != 1)) {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return node.SetOutput(x);
  return node.SetOutput(node.Reshape(EmitReduce(node, "reduce_sum", x, axes, true, ".sum"), dims));
}

absl::Status MapLogSumExp(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(GetListOrMore(node), DataType::kFloat32, ".real"));
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  return node.SetOutput(EmitLogSumExp(node, x, axes, keep));
}

absl::Status MapCumSum(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis in, GetListAxis(node, 1));
  ASSIGN_OR_RETURN(const Typed typed, AsType(node, in.x, 2));
  const bool flags = typed.x->type.dtype == DataType::kBool;
  const Emitted numbers = flags ? node.Cast(typed.x, DataType::kInt64, ".integers") : typed.x;
  const Emitted sums = node.Emit("cumsum", {numbers}, {{"axis", static_cast<int64_t>(in.axis)}});
  return node.SetOutput(ScalarIfGiven(node, in, sums, ".scalar"), typed.is_uint8);
}

// The same of Python's numbers.
absl::Status MapAnyOfList(NodeContext& node, const List& list) {
  const bool any = node.kind() == "aten::any";
  bool result = !any;
  for (const Value& item : list) {
    ASSIGN_OR_RETURN(const double number, NumberOf(item));
    if ((number != 0) == any) result = any;
  }
  return node.SetOutput(Value{result});
}

// Whether any element, or all, are true.
absl::Status MapAny(NodeContext& node) {
  if (const List* list = node.argument(0).AsList()) return MapAnyOfList(node, *list);
  ASSIGN_OR_RETURN(Tensor * x, GetListOrMore(node));
  const Emitted truth = node.Cast(x, DataType::kBool, ".bool");
  const Emitted integers = node.Cast(truth, DataType::kInt64, ".integers");
  ASSIGN_OR_RETURN(const Dims axes, node.GetAxesOrAll(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(const bool keep, GetKeep(node, 2));
  const char* op = node.kind() == "aten::any" ? "reduce_max" : "reduce_min";
  const Emitted y = EmitReduce(node, op, integers, axes, keep, ".reduced");
  return node.SetOutput(node.Cast(y, DataType::kBool, ""));
}

constexpr char kScalarResults[] = "results that are numbers";

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
    {"aten::var_mean", 1, MapVariance},
    {"aten::std_mean", 1, MapVariance},
    {"aten::aminmax", 1, MapAMinMax},
    {"aten::count_nonzero", 1, MapCountNonZero},
    {"aten::nansum", 1, MapNanReduce, kScalarResults},
    {"aten::nanmean", 1, MapNanReduce, kScalarResults},
    {"aten::sum_to_size", 2, MapSumToSize},
    {"aten::logsumexp", 2, MapLogSumExp},
    {"aten::special_logsumexp", 2, MapLogSumExp},
    {"aten::cumsum", 2, MapCumSum, kScalarResults},
    {"aten::any", 1, MapAny},
    {"aten::all", 1, MapAny},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::torchscript_import
