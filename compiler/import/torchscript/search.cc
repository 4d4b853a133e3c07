// Operators that compare elements with those of a list.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Elements [..., 1] and a list [..., n] of one type, which broadcast to a pair for each of both.
absl::StatusOr<Operands> MakePairs(NodeContext& node, Tensor* elements, Tensor* list) {
  Dims dims = elements->type.shape.dims();
  dims.push_back(1);
  // Each row of a list has its own elements: [..., m, 1] and [..., 1, n].
  Dims rows = list->type.shape.dims();
  if (rows.size() > 1) rows.insert(rows.end() - 1, 1);
  ASSIGN_OR_RETURN(Operands pairs, Promoted(node, {elements, list}, DataType::kBool));
  ASSIGN_OR_RETURN(pairs.a, node.Reshape(pairs.a, std::move(dims), ".column"));
  if (rows.size() > 1) {
    ASSIGN_OR_RETURN(pairs.b, node.Reshape(pairs.b, std::move(rows), ".rows"));
  }
  return pairs;
}

// op_name of the truth of each pair, over the list.
Emitted OverList(NodeContext& node, absl::string_view op_name, const Emitted& truth,
                 absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * numbers, node.Cast(truth, DataType::kInt64, ".numbers"));
  const auto last = static_cast<int64_t>(numbers->type.shape.rank()) - 1;
  return EmitReduce(node, op_name, numbers, {last}, false, suffix);
}

// How many boundaries are less than each value or, from the right, not greater: the index at which
// the value would keep them in ascending order.
absl::Status SetCounts(NodeContext& node, const Emitted& values, const Emitted& boundaries,
                       bool right) {
  RETURN_IF_ERROR(values.status());
  RETURN_IF_ERROR(boundaries.status());
  const Shape &v = (*values)->type.shape, &b = (*boundaries)->type.shape;
  const bool fits =
      b.rank() == 1 || (b.rank() == v.rank() && b.rank() > 1 &&
                        std::equal(b.dims().begin(), b.dims().end() - 1, v.dims().begin()));
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("its boundaries are ", b.ToString(),
                                                   ", expected 1 dimension, or those of ",
                                                   v.ToString(), " but for the last"));
  }
  ASSIGN_OR_RETURN(const Operands pairs, MakePairs(node, *values, *boundaries));
  // Nothing is greater than NaN, which comes after all boundaries.
  OpEmitter comparison = node.Step(0);
  const Emitted after = right ? comparison.Emit("greater", {pairs.b, pairs.a})
                              : EmitGreaterOrEqual(comparison, pairs.b, pairs.a);
  const Emitted before = node.Emit("logical_not", {after}, {}, ".before");
  return node.SetOutput(OverList(node, "reduce_sum", before, ""), false);
}

// (values, boundaries, out_int32, right)
absl::Status MapBucketize(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool right, node.GetBoolOr(3, false));
  return SetCounts(node, node.GetNumbers(0), node.GetTensor(1), right);
}

// (boundaries, values, out_int32, right, side, sorter): the boundaries are in the order that the
// indices of the sorter say.
absl::Status MapSearchSorted(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * boundaries, node.GetTensor(0));
  ASSIGN_OR_RETURN(bool right, node.GetBoolOr(3, false));
  if (node.Has(4)) {
    ASSIGN_OR_RETURN(const std::string side, node.GetString(4));
    right = side == "right";
  }
  if (node.Has(5) && boundaries->type.shape.rank() > 0) {
    const Emitted sorter = IntegerIndices(node, node.GetTensor(5));
    ASSIGN_OR_RETURN(boundaries, EmitGatherElements(node, boundaries, sorter,
                                                    boundaries->type.shape.rank() - 1, ".sorted"));
  }
  return SetCounts(node, node.GetNumbers(1), boundaries, right);
}

// (elements, list, assume_unique, invert): whether each element is in the list.
absl::Status MapIsIn(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * elements, node.GetNumbers(0));
  ASSIGN_OR_RETURN(Tensor * list, node.GetNumbers(1));
  ASSIGN_OR_RETURN(const bool invert, node.GetBoolOr(3, false));
  ASSIGN_OR_RETURN(list, EmitFlat(node, list, ".flat"));
  ASSIGN_OR_RETURN(const Operands pairs, MakePairs(node, elements, list));
  const Emitted equal = node.Emit("equal", {pairs.a, pairs.b}, {}, ".equal");
  const Emitted found =
      node.Cast(OverList(node, "reduce_max", equal, ".any"), DataType::kBool, ".found");
  return node.SetOutput(invert ? node.Emit("logical_not", {found}) : found);
}

// The number of classes of one_hot: argument 1, or what the largest constant index needs.
absl::StatusOr<int64_t> ReadClasses(NodeContext& node, const Tensor& indices) {
  ASSIGN_OR_RETURN(const int64_t classes, node.GetIntOr(1, -1));
  if (classes >= 0) return classes;
  if (!indices.is_constant()) {
    return absl::UnimplementedError(
        "it counts its classes, and how many there are depends on values; give num_classes");
  }
  ASSIGN_OR_RETURN(const Dims values, ConstantInts(indices, "self"));
  if (values.empty()) return 0;
  const int64_t largest = *std::max_element(values.begin(), values.end());
  if (largest < Shape::kMaxElements) return largest + 1;
  return absl::InvalidArgumentError(
      absl::StrCat("its largest index is ", largest, ", expected less than ", Shape::kMaxElements));
}

// (indices, classes): 1 at the index along a new last dimension.
absl::Status MapOneHot(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * indices, IntegerIndices(node, node.GetTensor(0)));
  ASSIGN_OR_RETURN(const int64_t classes, ReadClasses(node, *indices));
  Tensor* on = node.Integer(1, ".on");
  Tensor* off = node.Integer(0, ".off");
  return node.SetOutput(EmitOneHot(node, indices, classes, -1, on, off, NegativeIndex::kOutside),
                        false);
}

constexpr OpMapping kSearchMappings[] = {
    {"aten::bucketize", 2, MapBucketize},
    {"aten::searchsorted", 2, MapSearchSorted},
    {"aten::isin", 2, MapIsIn},
    {"aten::one_hot", 1, MapOneHot, "a given number of classes, or constant indices"},
};

}  // namespace

absl::Span<const OpMapping> SearchMappings() { return kSearchMappings; }

}  // namespace synap_internal::torchscript_import
