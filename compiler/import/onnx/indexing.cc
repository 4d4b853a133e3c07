// Operators that pick elements by computed indices.
#include "compiler/import/emit/indexing.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapGather(NodeContext& node) {
  const Shape x = node.shape(0);
  Tensor* indices = node.input(1);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), x.rank()));
  if (indices->is_constant()) {
    ASSIGN_OR_RETURN(indices, NonNegativeIndices(node, indices, x[static_cast<size_t>(axis)]));
  }
  // One index takes a slice, which any device can do.
  if (indices->is_constant() && indices->type.shape.rank() == 0) {
    return node.SetOutput(
        EmitElement(node, node.input(0), static_cast<size_t>(axis), indices->values<int64_t>()[0]));
  }
  return node.SetOutput(EmitGather(node, node.input(0), indices, axis));
}

absl::Status MapGatherElements(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), node.shape(0).rank()));
  return node.SetOutput(
      EmitGatherElements(node, node.input(0), node.input(1), static_cast<size_t>(axis)));
}

absl::Status MapGatherNd(NodeContext& node) {
  const int64_t batch = node.Int("batch_dims", 0);
  if (batch < 0) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'batch_dims' is ", batch));
  }
  return node.SetOutput(EmitGatherNd(node, node.input(0), node.input(1), static_cast<size_t>(batch),
                                     NegativeIndex::kFromEnd));
}

// Scatter is ScatterElements before opset 11.
absl::Status MapScatterElements(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), node.shape(0).rank()));
  return node.SetOutput(EmitScatterElements(node, node.input(0), node.input(1), node.input(2),
                                            static_cast<size_t>(axis),
                                            node.String("reduction", "none")));
}

absl::Status MapScatterNd(NodeContext& node) {
  return node.SetOutput(EmitScatterNd(node, node.input(0), node.input(1), node.input(2),
                                      node.String("reduction", "none"), NegativeIndex::kFromEnd));
}

// on where the position along a new dimension at `axis` is the index, else off: values [off, on].
absl::Status MapOneHot(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* depth_tensor,
                   node.Cast(node.input(1), DataType::kInt64, ".depth"));
  ASSIGN_OR_RETURN(const int64_t depth, ConstantInt(*depth_tensor, "depth"));
  const auto indices = node.Cast(node.input(0), DataType::kInt64, ".indices");
  if (node.shape(2) != Shape({2})) {
    return absl::InvalidArgumentError(
        absl::StrCat("its 'values' are ", node.shape(2).ToString(), ", expected 2"));
  }
  ASSIGN_OR_RETURN(Tensor * off, EmitAxisSlice(node, node.input(2), 0, 0, 1, ".off"));
  ASSIGN_OR_RETURN(Tensor * on, EmitAxisSlice(node, node.input(2), 0, 1, 1, ".on"));
  return node.SetOutput(
      EmitOneHot(node, indices, depth, node.Int("axis", -1), on, off, NegativeIndex::kFromEnd));
}

// Reverses the first sequence_lens[b] steps of batch element b.
absl::Status MapReverseSequence(NodeContext& node) {
  const int64_t batch = node.Int("batch_axis", 1), time = node.Int("time_axis", 0);
  return node.SetOutput(EmitReverseSequence(node, node.input(0), node.input(1), time, batch));
}

// k: an operand since opset 10.
absl::Status MapTopK(NodeContext& node) {
  node.IgnoreAttribute("sorted");  // they always are
  Tensor* x = node.input(0);
  TopKOptions options{node.Int("k", -1), node.Int("axis", -1), node.Int("largest", 1) != 0};
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(options.k, ConstantInt(*node.input(1), "K"));
  }
  ASSIGN_OR_RETURN(const TopK top, EmitTopK(node, x, WidenedKeys(node, x, ".wide"), options));
  RETURN_IF_ERROR(node.SetOutput(0, top.values));
  return node.SetOutput(1, top.indices);
}

constexpr OpMapping kIndexingMappings[] = {
    {"Gather", 2, 2, MapGather},
    {"GatherElements", 2, 2, MapGatherElements},
    {"GatherND", 2, 2, MapGatherNd},
    {"Scatter", 3, 3, MapScatterElements},
    {"ScatterElements", 3, 3, MapScatterElements},
    {"ScatterND", 3, 3, MapScatterNd},
    {"OneHot", 3, 3, MapOneHot, "a constant 'depth' of one element"},
    {"ReverseSequence", 2, 2, MapReverseSequence},
    {"TopK", 1, 2, MapTopK, "a constant 'K'"},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::onnx_import
