// Operators that pick elements by computed indices.
#include "compiler/import/emit/indexing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

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

Emitted Integral(NodeContext& node, const Emitted& indices) {
  // Inputs of the network are real numbers unless the metafile says otherwise.
  return node.Cast(indices, DataType::kInt64, ".indices");
}

// The element of [dims[0], dims[1], ...], row-major, that each of the indices, broadcast, picks.
Emitted FlatIndex(NodeContext& node, const std::vector<Tensor*>& indices, const Dims& dims) {
  Emitted flat = nullptr;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::string suffix = absl::StrCat(".index", i);
    Emitted index = Integral(node, indices[i]);
    // Negative ones count from the end.
    Tensor* size = node.Values(Shape({}), std::vector<int64_t>{dims[i]}, suffix);
    Tensor* zero = node.Values(Shape({}), std::vector<int64_t>{0}, suffix);
    index = node.Emit("where",
                      {node.Emit("less", {index, zero}, {}, suffix),
                       node.Emit("add", {index, size}, {}, suffix), index},
                      {}, suffix);
    flat = i == 0
               ? index
               : node.Emit("add", {node.Emit("mul", {flat, size}, {}, suffix), index}, {}, suffix);
  }
  return flat;
}

// x[indices]: the dimensions that have one are replaced by the shape of the indices, broadcast; at
// the place of the first of them if they are next to each other, else before all.
absl::Status MapIndex(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(std::vector<Tensor*> indices, node.GetOptionalTensors(1));
  for (const Value& index : *node.argument(1).AsList()) RETURN_IF_ERROR(CheckNoMask(index));
  const Shape s = x->type.shape;
  if (indices.size() > s.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", indices.size(), " indices of ", s.ToString()));
  }
  indices.resize(s.rank());
  Dims picked, kept;  // axes
  for (size_t i = 0; i < indices.size(); ++i) {
    (indices[i] != nullptr ? picked : kept).push_back(static_cast<int64_t>(i));
  }
  indices.erase(std::remove(indices.begin(), indices.end(), nullptr), indices.end());
  if (picked.empty()) return node.SetOutput(x);
  if (picked.size() == 1) {
    return node.SetOutput(EmitGather(node, x, Integral(node, indices[0]), picked[0]));
  }
  const auto count = static_cast<int64_t>(picked.size());
  const bool together = picked.back() - picked.front() + 1 == count;
  const int64_t axis = together ? picked.front() : 0;
  Dims order = kept;
  order.insert(order.begin() + axis, picked.begin(), picked.end());
  const Emitted ordered = node.Transpose(x, order, ".ordered");
  Dims sizes;
  for (const int64_t i : picked) sizes.push_back(s[static_cast<size_t>(i)]);
  Dims dims;
  for (const int64_t i : kept) dims.push_back(s[static_cast<size_t>(i)]);
  dims.insert(dims.begin() + axis, Shape(sizes).elements());
  const Emitted flat = node.Reshape(ordered, std::move(dims), ".flat");
  return node.SetOutput(EmitGather(node, flat, FlatIndex(node, indices, sizes), axis));
}

// x along `axis` at the indices of argument `at`.
absl::Status SetGathered(NodeContext& node, int64_t axis, size_t at) {
  RETURN_IF_ERROR(CheckNoMask(node.argument(at)));
  return node.SetOutput(
      EmitGather(node, node.GetTensor(0), Integral(node, node.GetTensor(at)), axis));
}

// (x, dim, indices)
absl::Status MapIndexSelect(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  return SetGathered(node, axis, 2);
}

// (weights, indices, ...)
absl::Status MapEmbedding(NodeContext& node) { return SetGathered(node, 0, 1); }

constexpr char kIndices[] = "indices, not a mask (bool or uint8)";

constexpr OpMapping kIndexingMappings[] = {
    {"aten::index", 2, MapIndex, Result::kAlike, kIndices},
    {"aten::index_select", 3, MapIndexSelect, Result::kAlike, kIndices},
    {"aten::embedding", 2, MapEmbedding, Result::kAlike, kIndices},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::torchscript_import
