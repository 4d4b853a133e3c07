// Operators that pick elements by computed indices.
#include "compiler/import/emit/indexing.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

// Unimplemented for an index of bools or bytes, which say of each element whether it is picked.
absl::Status CheckNoMask(const Value& index) {
  const auto* variable = index.Get<std::shared_ptr<Variable>>();
  if (variable == nullptr) return absl::OkStatus();
  const bool mask =
      (*variable)->is_uint8.value_or(false) || (*variable)->tensor->type.dtype == DataType::kBool;
  if (!mask) return absl::OkStatus();
  return absl::UnimplementedError(
      "it indexes by a mask (bool or uint8), and how many elements that picks depends on its "
      "values");
}

absl::StatusOr<Tensor*> Integral(NodeContext& node, Tensor* indices) {
  // Inputs of the network are real numbers unless the metafile says otherwise.
  return node.Cast(indices, DataType::kInt64, ".indices");
}

// x[indices]: one tensor of indices along one dimension.
absl::Status MapIndex(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> indices, node.GetOptionalTensors(1));
  for (const Value& index : *node.argument(1).AsList()) RETURN_IF_ERROR(CheckNoMask(index));
  const auto given = static_cast<size_t>(
      std::count_if(indices.begin(), indices.end(), [](const Tensor* i) { return i != nullptr; }));
  if (given == 0) return node.SetOutput(x);
  if (given > 1 || indices.size() > x->type.shape.rank()) {
    return absl::UnimplementedError(absl::StrCat("it indexes ", given, " dimensions of ",
                                                 x->type.shape.ToString(), ", expected 1"));
  }
  const auto it =
      std::find_if(indices.begin(), indices.end(), [](const Tensor* i) { return i != nullptr; });
  ASSIGN_OR_RETURN(Tensor * index, Integral(node, *it));
  return node.SetOutput(EmitGather(node, x, index, it - indices.begin()));
}

// x along `axis` at the indices of argument `at`.
absl::Status SetGathered(NodeContext& node, int64_t axis, size_t at) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  RETURN_IF_ERROR(CheckNoMask(node.argument(at)));
  ASSIGN_OR_RETURN(Tensor * index, node.GetTensor(at));
  ASSIGN_OR_RETURN(index, Integral(node, index));
  return node.SetOutput(EmitGather(node, x, index, axis));
}

// (x, dim, indices)
absl::Status MapIndexSelect(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  return SetGathered(node, axis, 2);
}

// (weights, indices, ...)
absl::Status MapEmbedding(NodeContext& node) { return SetGathered(node, 0, 1); }

constexpr char kIndices[] = "indices, not a mask (bool or uint8)";

constexpr OpMapping kMappings[] = {
    {"aten::index", 2, MapIndex, Quantized::kSame, Result::kAlike,
     "indices along one dimension, none of them a mask (bool or uint8)"},
    {"aten::index_select", 3, MapIndexSelect, Quantized::kSame, Result::kAlike, kIndices},
    {"aten::embedding", 2, MapEmbedding, Quantized::kSame, Result::kAlike, kIndices},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
