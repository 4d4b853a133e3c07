// Operators that order elements along a dimension, and those that pick one by its rank.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// The first k elements in descending (largest) or ascending order. Equal ones keep their order; NaN
// is larger than all others.
absl::StatusOr<TopK> EmitFirst(NodeContext& node, const ListAxis& order, int64_t k, bool largest) {
  const bool bools = order.x->type.dtype == DataType::kBool;
  const Emitted keys = bools ? node.Cast(order.x, DataType::kInt64, ".keys") : order.x;
  return EmitTopK(node, order.x, keys, {k, static_cast<int64_t>(order.axis), largest});
}

// Outputs: the values and their indices; both as scalars if x was one.
absl::Status SetRanked(NodeContext& node, const ListAxis& order, TopK top) {
  ASSIGN_OR_RETURN(top.values, ScalarIfGiven(node, order, top.values, ".value"));
  ASSIGN_OR_RETURN(top.indices, ScalarIfGiven(node, order, top.indices, ".index"));
  if (node.kind() == "aten::argsort") return node.SetOutput(top.indices, false);
  if (node.kind() == "aten::msort") return node.SetOutput(top.values);
  return node.SetOutputs({Value::Of(top.values), Value::Of(top.indices, false)});
}

// (x, k, dim, largest, sorted): they always are sorted.
absl::Status MapTopK(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxis(node, 2));
  ASSIGN_OR_RETURN(const int64_t k, node.GetInt(1));
  ASSIGN_OR_RETURN(const bool largest, node.GetBoolOr(3, true));
  ASSIGN_OR_RETURN(const TopK top, EmitFirst(node, order, k, largest));
  return SetRanked(node, order, top);
}

// sort, argsort: (x, dim, descending) or (x, stable, dim, descending); msort: (x), along the first
// dimension.
absl::Status MapSort(NodeContext& node) {
  const size_t axis_at = node.size() >= 4 ? 2 : 1;
  const int64_t fallback = node.kind() == "aten::msort" ? 0 : -1;
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxis(node, axis_at, fallback));
  ASSIGN_OR_RETURN(const bool descending, node.GetBoolOr(axis_at + 1, false));
  ASSIGN_OR_RETURN(const TopK top, EmitFirst(node, order, order.extent(), descending));
  return SetRanked(node, order, top);
}

// --- One element by its rank

// Element `at` along the axis of values and indices, which stays as a dimension of 1 or not.
absl::StatusOr<TopK> EmitRanked(NodeContext& node, const ListAxis& order, const TopK& top,
                                int64_t at, bool keep) {
  const auto pick = [&](Tensor* x, absl::string_view suffix) {
    return keep ? EmitAxisSlice(node, x, order.axis, at, 1, suffix)
                : EmitElement(node, x, order.axis, at, suffix);
  };
  TopK picked;
  ASSIGN_OR_RETURN(picked.values, pick(top.values, ".value"));
  ASSIGN_OR_RETURN(picked.indices, pick(top.indices, ".index"));
  return picked;
}

// The k-th smallest element, counted from 1.
absl::Status SetKthSmallest(NodeContext& node, const ListAxis& order, int64_t k, bool keep) {
  if (k < 1 || k > order.extent()) {
    return absl::InvalidArgumentError(absl::StrCat("it picks element ", k, " of ", order.extent(),
                                                   ", expected 1 to ", order.extent()));
  }
  ASSIGN_OR_RETURN(const TopK top, EmitFirst(node, order, k, false));
  ASSIGN_OR_RETURN(const TopK picked, EmitRanked(node, order, top, k - 1, keep));
  return SetRanked(node, order, picked);
}

// (x, k, dim, keep_dim)
absl::Status MapKthValue(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxis(node, 2));
  ASSIGN_OR_RETURN(const int64_t k, node.GetInt(1));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(3, false));
  return SetKthSmallest(node, order, k, keep);
}

// The dimension at argument `axis_at` or, without that, all elements.
absl::StatusOr<ListAxis> GetListAxisOrAll(NodeContext& node, size_t axis_at) {
  if (node.Has(axis_at)) return GetListAxis(node, axis_at);
  ListAxis order;
  ASSIGN_OR_RETURN(order.x, EmitFlat(node, node.GetTensor(0), ".list"));
  return order;
}

// How many along the axis are numbers, not NaN. The axis stays as a dimension of 1.
Emitted CountOfNumbers(NodeContext& node, const ListAxis& order) {
  const Emitted numbers = node.Emit("equal", {order.x, order.x}, {}, ".numbers");
  const Emitted ones = node.Cast(numbers, DataType::kInt64, ".ones");
  return EmitReduce(node, "reduce_sum", ones, {static_cast<int64_t>(order.axis)}, true, ".count");
}

// Of the elements in ascending order the one at the place [..., 1, ...] that is computed for them.
absl::Status SetSortedAt(NodeContext& node, const ListAxis& order, const Emitted& place,
                         bool keep) {
  ASSIGN_OR_RETURN(const TopK sorted, EmitFirst(node, order, order.extent(), false));
  TopK picked;
  ASSIGN_OR_RETURN(picked.values,
                   EmitGatherElements(node, sorted.values, place, order.axis, ".median"));
  ASSIGN_OR_RETURN(picked.indices,
                   EmitGatherElements(node, sorted.indices, place, order.axis, ".place"));
  if (!keep) {
    ASSIGN_OR_RETURN(picked, EmitRanked(node, order, picked, 0, false));
  }
  return SetRanked(node, order, picked);
}

// (x), or (x, dim, keep_dim): of an even number of elements the lower one in the middle; the first
// NaN if there is one, which in ascending order comes after all numbers.
absl::Status MapMedian(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxisOrAll(node, 1));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  const int64_t middle = (order.extent() + 1) / 2;
  if (order.x->type.dtype != DataType::kFloat32 || order.extent() < 1) {
    return SetKthSmallest(node, order, middle, keep);
  }
  const Emitted count = CountOfNumbers(node, order);
  Tensor* all = node.Integer(order.extent(), ".all");
  Tensor* half = node.Integer(middle - 1, ".half");
  const Emitted whole = node.Emit("equal", {count, all}, {}, ".whole");
  return SetSortedAt(node, order, node.Emit("where", {whole, half, count}, {}, ".middle"), keep);
}

// As median, without elements that are NaN: element (count - 1) / 2.
absl::Status MapNanMedian(NodeContext& node) {
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxisOrAll(node, 1));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  Tensor* one = node.Integer(1, ".one");
  Tensor* two = node.Integer(2, ".two");
  const Emitted last = node.Emit("sub", {CountOfNumbers(node, order), one}, {}, ".last");
  // Division rounds to zero, so that no number at all gives the first element, which is NaN.
  return SetSortedAt(node, order, node.Emit("div", {last, two}, {}, ".middle"), keep);
}

// --- Quantiles

// Places among the elements in ascending order, each between two neighbours.
struct Quantiles {
  std::vector<float> q;  // parts of the way from the smallest to the largest element, 0 to 1
  bool list = false;     // they are a dimension of the result
  std::string interpolation = "linear";
};

// (x, q, dim, keep_dim, interpolation)
absl::StatusOr<Quantiles> ReadQuantiles(NodeContext& node) {
  Quantiles quantiles;
  ASSIGN_OR_RETURN(const Tensor* q, node.GetNumbers(1));
  ASSIGN_OR_RETURN(quantiles.q, ConstantFloats(*q, "q"));
  quantiles.list = q->type.shape.rank() > 0;
  if (node.Has(4)) {
    ASSIGN_OR_RETURN(quantiles.interpolation, node.GetString(4));
  }
  for (const float part : quantiles.q) {
    if (part >= 0 && part <= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("its q is ", part, ", expected 0 to 1"));
  }
  return quantiles;
}

// The two elements next to each quantile, [..., Q, ...], and how far it is from the first to the
// second.
struct BetweenRanks {
  Emitted below, above;
  Emitted way = nullptr;  // null: `below` is it
};

// `pick` gives the elements at ranks, which are float32 and whole numbers.
template <typename Pick>
BetweenRanks EmitBetween(NodeContext& node, const Quantiles& quantiles, const Emitted& ranks,
                         const Pick& pick) {
  const std::string& kind = quantiles.interpolation;
  if (kind == "higher") return {pick(node.Emit("ceil", {ranks}, {}, ".up"), ".above"), nullptr};
  if (kind == "nearest") return {pick(node.Emit("round", {ranks}, {}, ".near"), ".at"), nullptr};
  const Emitted down = node.Emit("floor", {ranks}, {}, ".down");
  BetweenRanks between = {pick(down, ".below"), nullptr};
  if (kind == "lower") return between;
  between.above = pick(node.Emit("ceil", {ranks}, {}, ".up"), ".above");
  between.way = kind == "midpoint" ? Emitted(node.Scalar(0.5f, ".half"))
                                   : node.Emit("sub", {ranks, down}, {}, ".way");
  return between;
}

Emitted EmitQuantile(NodeContext& node, const BetweenRanks& between) {
  if (!IsGiven(between.way)) return between.below;
  ASSIGN_OR_RETURN(Tensor * below, between.below);
  ASSIGN_OR_RETURN(Tensor * above, between.above);
  ASSIGN_OR_RETURN(Tensor * way, between.way);
  return EmitOperator(node, "aten::lerp", {Value::Of(below), Value::Of(above), Value::Of(way)});
}

// The q as [..., Q, ...], along the axis.
Emitted QuantilesAlong(NodeContext& node, const ListAxis& order, const std::vector<float>& q) {
  Dims dims(order.x->type.shape.rank(), 1);
  dims[order.axis] = static_cast<int64_t>(q.size());
  return node.Values(Shape(std::move(dims)), q, ".q");
}

// Where there is a NaN, which comes last, it is the result.
Emitted EmitQuantiles(NodeContext& node, const ListAxis& order, Tensor* sorted,
                      const Quantiles& quantiles) {
  const auto axis = static_cast<int64_t>(order.axis);
  Tensor* steps = node.Scalar(static_cast<float>(order.extent() - 1), ".steps");
  const Emitted ranks =
      node.Emit("mul", {QuantilesAlong(node, order, quantiles.q), steps}, {}, ".ranks");
  const auto pick = [&](const Emitted& at, absl::string_view suffix) {
    const Emitted list = EmitFlat(node, at, suffix);
    return EmitGather(node, sorted, node.Cast(list, DataType::kInt64, suffix), axis, suffix);
  };
  const Emitted y = EmitQuantile(node, EmitBetween(node, quantiles, ranks, pick));
  const Emitted last = EmitAxisSlice(node, sorted, order.axis, order.extent() - 1, 1, ".last");
  const Emitted number = node.Emit("equal", {last, last}, {}, ".whole");
  return node.Emit("where", {number, y, last}, {}, ".quantiles");
}

// The same of the elements that are numbers, NaN without any.
Emitted EmitNanQuantiles(NodeContext& node, const ListAxis& order, Tensor* sorted,
                         const Quantiles& quantiles) {
  const Emitted count = node.Cast(CountOfNumbers(node, order), DataType::kFloat32, ".real_count");
  const Emitted steps = node.Emit("sub", {count, node.Scalar(1, ".one")}, {}, ".last");
  const Emitted ranks = node.Emit(
      "mul", {QuantilesAlong(node, order, quantiles.q), node.Emit("relu", {steps}, {}, ".steps")},
      {}, ".ranks");
  const auto pick = [&](const Emitted& at, absl::string_view suffix) {
    return EmitGatherElements(node, sorted, node.Cast(at, DataType::kInt64, suffix), order.axis,
                              suffix);
  };
  return EmitQuantile(node, EmitBetween(node, quantiles, ranks, pick));
}

// y [..., Q, ...] as [Q, ...].
Emitted QuantilesFirst(NodeContext& node, Tensor* y, size_t axis) {
  if (axis == 0) return y;
  Dims perm = AxesFrom(0, y->type.shape.rank());
  std::rotate(perm.begin(), perm.begin() + static_cast<ptrdiff_t>(axis),
              perm.begin() + static_cast<ptrdiff_t>(axis) + 1);
  return node.Transpose(y, std::move(perm), ".first");
}

// The dimensions of one quantile of x, over the axis or all of it.
Dims QuantileDims(const Shape& x, const ListAxis& order, bool whole, bool keep) {
  if (whole || order.scalar) return Dims(keep ? x.rank() : 0, 1);
  Dims dims = x.dims();
  dims[order.axis] = 1;
  if (!keep) dims.erase(dims.begin() + static_cast<ptrdiff_t>(order.axis));
  return dims;
}

// (x, q, dim, keep_dim, interpolation): several q are the first dimension of the result.
absl::Status MapQuantile(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Quantiles quantiles, ReadQuantiles(node));
  ASSIGN_OR_RETURN(const ListAxis order, GetListAxisOrAll(node, 2));
  if (order.extent() < 1) return absl::InvalidArgumentError("its input has no elements");
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(3, false));
  ASSIGN_OR_RETURN(const TopK sorted, EmitFirst(node, order, order.extent(), false));
  ASSIGN_OR_RETURN(Tensor * y, node.kind() == "aten::nanquantile"
                                   ? EmitNanQuantiles(node, order, sorted.values, quantiles)
                                   : EmitQuantiles(node, order, sorted.values, quantiles));
  ASSIGN_OR_RETURN(y, QuantilesFirst(node, y, order.axis));
  Dims dims = QuantileDims(x->type.shape, order, !node.Has(2), keep);
  if (quantiles.list) dims.insert(dims.begin(), static_cast<int64_t>(quantiles.q.size()));
  return node.SetOutput(node.Reshape(y, std::move(dims)));
}

constexpr OpMapping kOrderMappings[] = {
    {"aten::topk", 2, MapTopK, Result::kAlike},
    {"aten::sort", 1, MapSort, Result::kAlike},
    {"aten::argsort", 1, MapSort},
    {"aten::msort", 1, MapSort, Result::kAlike},
    {"aten::kthvalue", 2, MapKthValue, Result::kAlike},
    {"aten::median", 1, MapMedian, Result::kAlike},
    {"aten::nanmedian", 1, MapNanMedian, Result::kAlike},
    {"aten::quantile", 2, MapQuantile, "constant q"},
    {"aten::nanquantile", 2, MapQuantile, "constant q"},
};

}  // namespace

absl::Span<const OpMapping> OrderMappings() { return kOrderMappings; }

}  // namespace synap_internal::torchscript_import
