#include "compiler/import/torchscript/index_list.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/constant_elements.h"
#include "compiler/import/emit/indexing.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Indices [count] along each dimension of a mask for those elements of x that it picks; its first
// dimension is `axis` of x.
absl::StatusOr<std::vector<Tensor*>> IndicesOfMask(NodeContext& node, const Value& value,
                                                   const Shape& x, size_t axis) {
  ASSIGN_OR_RETURN(Tensor * mask, node.Cast(TensorOf(value), DataType::kBool, ".mask"));
  if (!mask->is_constant()) return CheckNoMask(value);
  const Shape& s = mask->type.shape;
  if (s.rank() == 0) return absl::UnimplementedError("it indexes by a mask without dimensions");
  bool fits = axis + s.rank() <= x.rank();
  for (size_t i = 0; fits && i < s.rank(); ++i) fits = s[i] == x[axis + i];
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("its mask is ", s.ToString(),
                                                   ", expected the dimensions of its input ",
                                                   x.ToString(), " from dimension ", axis, " on"));
  }
  ASSIGN_OR_RETURN(const Dims found, NonZeroElements(node.builder(), *mask));
  ASSIGN_OR_RETURN(const std::vector<Dims> coordinates, CoordinatesOf(node.builder(), s, found));
  std::vector<Tensor*> indices;
  for (const Dims& along : coordinates) {
    indices.push_back(
        node.builder().AddInts(node.Name(absl::StrCat(".picked", indices.size())), along));
  }
  return indices;
}

// One for each dimension of x, null for those without an index.
absl::StatusOr<std::vector<Tensor*>> ReadIndices(NodeContext& node, size_t at, const Shape& x) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> given, node.GetOptionalTensors(at));
  std::vector<Tensor*> indices;
  for (size_t i = 0; i < given.size(); ++i) {
    const Value& value = (*node.argument(at).AsList())[i];
    if (given[i] == nullptr) {
      indices.push_back(nullptr);
    } else if (IsMask(value)) {
      ASSIGN_OR_RETURN(const std::vector<Tensor*> picked,
                       IndicesOfMask(node, value, x, indices.size()));
      indices.insert(indices.end(), picked.begin(), picked.end());
    } else {
      ASSIGN_OR_RETURN(indices.emplace_back(), IntegerIndices(node, given[i]));
    }
  }
  if (indices.size() > x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", indices.size(), " indices of ", x.ToString()));
  }
  indices.resize(x.rank());
  return indices;
}

}  // namespace

bool IsMask(const Value& index) {
  const auto* variable = index.Get<std::shared_ptr<Variable>>();
  return variable != nullptr && ((*variable)->is_uint8.value_or(false) ||
                                 (*variable)->tensor->type.dtype == DataType::kBool);
}

absl::Status CheckNoMask(const Value& index) {
  if (!IsMask(index)) return absl::OkStatus();
  return absl::UnimplementedError(
      "it indexes by a mask (bool or uint8), and how many elements that picks depends on its "
      "values");
}

Emitted IntegerIndices(NodeContext& node, const Emitted& indices) {
  return node.Cast(indices, DataType::kInt64, ".indices");
}

Dims IndexList::SizesOf(const Shape& x, const Dims& axes) {
  Dims sizes;
  for (const int64_t axis : axes) sizes.push_back(x[static_cast<size_t>(axis)]);
  return sizes;
}

absl::StatusOr<IndexList> ReadIndexList(NodeContext& node, size_t at, const Shape& x) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> indices, ReadIndices(node, at, x));
  IndexList list;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (indices[i] == nullptr) {
      list.kept.push_back(axis);
    } else {
      list.picked.push_back(axis);
      list.indices.push_back(indices[i]);
    }
  }
  if (list.picked.empty()) return list;
  const auto count = static_cast<int64_t>(list.picked.size());
  const bool together = list.picked.back() - list.picked.front() + 1 == count;
  list.axis = together ? list.picked.front() : 0;
  return list;
}

Emitted FlatIndex(NodeContext& node, const IndexList& list, const Shape& x) {
  if (list.indices.size() == 1) return list.indices[0];
  const Dims dims = IndexList::SizesOf(x, list.picked);
  Emitted flat = nullptr;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Emitted index = NonNegativeIndices(node, list.indices[i], dims[i]);
    const std::string suffix = absl::StrCat(".index", i);
    const Emitted rows =
        i == 0 ? nullptr : node.Emit("mul", {flat, node.Integer(dims[i], suffix)}, {}, suffix);
    flat = i == 0 ? index : node.Emit("add", {rows, index}, {}, suffix);
  }
  return flat;
}

}  // namespace synap_internal::torchscript_import
