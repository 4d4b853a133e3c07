// Sums, means and largest elements over bags of embeddings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// PyTorch's numbers of modes.
enum BagMode : int64_t { kBagSum = 0, kBagMean = 1, kBagMax = 2 };

// That of argument 4.
absl::StatusOr<BagMode> ReadBagMode(const NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t mode, node.GetIntOr(4, kBagSum));
  if (mode >= kBagSum && mode <= kBagMax) return static_cast<BagMode>(mode);
  return absl::InvalidArgumentError(
      absl::StrCat("its mode is number ", mode, ", expected 0 (sum), 1 (mean) or 2 (max)"));
}

// The first index of each bag and, after those, the end of the last bag.
absl::StatusOr<Dims> ReadBagEnds(NodeContext& node, int64_t indices) {
  ASSIGN_OR_RETURN(const Tensor* offsets, node.GetTensor(2));
  ASSIGN_OR_RETURN(Dims ends, ConstantInts(*offsets, "offsets"));
  ASSIGN_OR_RETURN(const bool has_end, node.GetBoolOr(7, false));
  if (!has_end) ends.push_back(indices);
  const bool ordered = !ends.empty() && ends[0] == 0 && std::is_sorted(ends.begin(), ends.end());
  if (ordered && ends.size() > 1 && ends.back() <= indices) return ends;
  return absl::InvalidArgumentError(
      absl::StrCat("its offsets don't go from 0 to at most ", indices, " in ascending order"));
}

// The index whose embeddings don't count; nothing is -1.
absl::StatusOr<int64_t> ReadBagPadding(NodeContext& node, const Shape& weights) {
  if (!node.Has(8)) return -1;
  ASSIGN_OR_RETURN(const int64_t padding, node.GetInt(8));
  // Only embedding_bag itself counts it from the end.
  if (node.kind() != "aten::embedding_bag" || weights.rank() == 0) return padding;
  return ResolveAxis(padding, static_cast<size_t>(weights[0]));
}

// `op` over each bag of the rows x [L, D]: [bags, D].
Emitted EmitOverBags(NodeContext& node, const Emitted& x, const Dims& ends, absl::string_view op) {
  ASSIGN_OR_RETURN(Tensor * rows, x);
  const int64_t bags = static_cast<int64_t>(ends.size()) - 1, width = rows->type.shape.back();
  const int64_t size = ends[1] - ends[0];
  bool equal = size > 0;
  for (size_t i = 0; i + 1 < ends.size(); ++i) equal = equal && ends[i + 1] - ends[i] == size;
  if (equal && ends.back() == rows->type.shape[0]) {
    const Emitted apart = node.Reshape(rows, {bags, size, width}, ".apart");
    return EmitReduce(node, op, apart, {1}, false, ".bags");
  }
  RETURN_IF_ERROR(node.builder().ChargeOps(bags));
  std::vector<Emitted> parts;
  for (int64_t i = 0; i < bags; ++i) {
    OpEmitter step = node.Step(i);
    const int64_t start = ends[static_cast<size_t>(i)];
    const int64_t count = ends[static_cast<size_t>(i) + 1] - start;
    if (count == 0) {
      parts.push_back(step.Zeros({rows->type.dtype, Shape({1, width}), {}}, ".empty"));
      continue;
    }
    const Emitted bag = EmitAxisSlice(step, rows, 0, start, count, ".rows");
    parts.push_back(EmitReduce(step, op, bag, {0}, true, ".bag"));
  }
  return EmitConcat(node, parts, 0, ".bags");
}

// The bags of `rows` without those whose index, of `indices` [L], is the padding.
Emitted EmitUnpaddedBags(NodeContext& node, const Emitted& rows, Tensor* indices, int64_t padding,
                         const Dims& ends, bool mean) {
  const Emitted padded =
      node.Emit("equal", {indices, node.Integer(padding, ".padding")}, {}, ".padded");
  const Emitted counted = node.Emit("logical_not", {padded}, {}, ".counted");
  const Emitted column =
      node.Reshape(counted, {indices->type.shape.elements(), 1}, ".counted_column");
  const Emitted kept = node.Emit("where", {column, rows, node.Scalar(0, ".zero")}, {}, ".kept");
  const Emitted sums = EmitOverBags(node, kept, ends, "reduce_sum");
  if (!mean) return sums;
  const Emitted ones = node.Cast(column, DataType::kFloat32, ".ones");
  const Emitted counts = EmitOverBags(node, ones, ends, "reduce_sum");
  const Emitted divisor = node.Emit("maximum", {counts, node.Scalar(1, ".one")}, {}, ".divisor");
  return node.Emit("div", {sums, divisor}, {}, ".means");
}

// (weights [N, D], indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
// include_last_offset, padding_idx): [bags, D], and what training reads.
absl::Status MapEmbeddingBag(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * weights, GetRealTensor(node, 0));
  ASSIGN_OR_RETURN(Tensor * indices,
                   EmitFlat(node, IntegerIndices(node, node.GetTensor(1)), ".indices"));
  ASSIGN_OR_RETURN(const Dims ends, ReadBagEnds(node, indices->type.shape.elements()));
  ASSIGN_OR_RETURN(const BagMode mode, ReadBagMode(node));
  ASSIGN_OR_RETURN(const int64_t padding, ReadBagPadding(node, weights->type.shape));
  Emitted rows = EmitGather(node, weights, indices, 0, ".rows");
  if (node.Has(6)) {
    const Emitted factors =
        node.Reshape(GetRealTensor(node, 6), {indices->type.shape.elements(), 1}, ".factors");
    rows = node.Emit("mul", {rows, factors}, {}, ".weighted");
  }
  constexpr absl::string_view kOps[] = {"reduce_sum", "reduce_mean", "reduce_max"};
  if (padding >= 0 && mode == kBagMax) {
    return absl::UnimplementedError("it takes the largest elements and has a padding_idx");
  }
  RETURN_IF_ERROR(node.SetOutput(
      padding < 0 ? EmitOverBags(node, rows, ends, kOps[mode])
                  : EmitUnpaddedBags(node, rows, indices, padding, ends, mode == kBagMean)));
  node.AddUnread("values for training");
  return absl::OkStatus();
}

constexpr char kBagLimits[] = "constant offsets; no padding_idx with mode max";

constexpr OpMapping kEmbeddingBagMappings[] = {
    {"aten::embedding_bag", 3, MapEmbeddingBag, kBagLimits},
    {"aten::_embedding_bag", 3, MapEmbeddingBag, kBagLimits},
    {"aten::_embedding_bag_forward_only", 3, MapEmbeddingBag, kBagLimits},
};

}  // namespace

absl::Span<const OpMapping> EmbeddingBagMappings() { return kEmbeddingBagMappings; }

}  // namespace synap_internal::torchscript_import
