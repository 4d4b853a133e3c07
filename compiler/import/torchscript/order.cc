// Operators that order elements along a dimension, and those that pick one by its rank.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

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

// Along a dimension, or of all elements.
absl::StatusOr<ListAxis> ReadMedian(NodeContext& node) {
  if (node.Has(1)) return GetListAxis(node, 1);
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
  ASSIGN_OR_RETURN(const ListAxis order, ReadMedian(node));
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
  ASSIGN_OR_RETURN(const ListAxis order, ReadMedian(node));
  ASSIGN_OR_RETURN(const bool keep, node.GetBoolOr(2, false));
  Tensor* one = node.Integer(1, ".one");
  Tensor* two = node.Integer(2, ".two");
  const Emitted last = node.Emit("sub", {CountOfNumbers(node, order), one}, {}, ".last");
  // Division rounds to zero, so that no number at all gives the first element, which is NaN.
  return SetSortedAt(node, order, node.Emit("div", {last, two}, {}, ".middle"), keep);
}

constexpr OpMapping kOrderMappings[] = {
    {"aten::topk", 2, MapTopK, Result::kAlike},
    {"aten::sort", 1, MapSort, Result::kAlike},
    {"aten::argsort", 1, MapSort},
    {"aten::msort", 1, MapSort, Result::kAlike},
    {"aten::kthvalue", 2, MapKthValue, Result::kAlike},
    {"aten::median", 1, MapMedian, Result::kAlike},
    {"aten::nanmedian", 1, MapNanMedian, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> OrderMappings() { return kOrderMappings; }

}  // namespace synap_internal::torchscript_import
