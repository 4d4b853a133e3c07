// Operators that pick elements by computed indices.
#include "compiler/import/emit/indexing.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// x[indices] of argument `at`: the dimensions that have indices are replaced by the shape of these,
// broadcast.
Emitted EmitIndexed(NodeContext& node, Tensor* x, size_t at, absl::string_view suffix = "") {
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(const IndexList list, ReadIndexList(node, at, s));
  if (list.picked.empty()) return x;
  const Emitted index = FlatIndex(node, list, s);
  if (list.picked.size() == 1) return EmitGather(node, x, index, list.axis, suffix);
  Dims order = list.kept;
  order.insert(order.begin() + list.axis, list.picked.begin(), list.picked.end());
  Dims dims = IndexList::SizesOf(s, list.kept);
  dims.insert(dims.begin() + list.axis, Shape(IndexList::SizesOf(s, list.picked)).elements());
  const Emitted ordered = node.Transpose(x, std::move(order), ".ordered");
  const Emitted flat = node.Reshape(ordered, std::move(dims), ".flat");
  return EmitGather(node, flat, index, list.axis, suffix);
}

// (x, indices)
absl::Status MapIndex(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  return node.SetOutput(EmitIndexed(node, x, 1));
}

// (x, mask, indices, fill): x[indices], of which those that the mask leaves out may be outside of
// x and give `fill`.
absl::Status MapMaskedIndex(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted mask = node.Cast(node.GetTensor(1), DataType::kBool, ".mask");
  const Emitted fill = node.Cast(node.GetNumbers(3), x->type.dtype, ".fill");
  return node.SetOutput(node.Emit("where", {mask, EmitIndexed(node, x, 2, ".read"), fill}));
}

// (x, dim, indices): a scalar index keeps the dimension.
absl::Status MapIndexSelect(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  RETURN_IF_ERROR(CheckNoMask(node.argument(2)));
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * indices, IntegerIndices(node, node.GetTensor(2)));
  if (x->type.shape.rank() == 0) return node.SetOutput(x);
  const Emitted list =
      indices->type.shape.rank() == 0 ? node.Reshape(indices, {1}, ".list") : indices;
  return node.SetOutput(EmitGather(node, x, list, axis));
}

// (weights, indices, ...)
absl::Status MapEmbedding(NodeContext& node) {
  RETURN_IF_ERROR(CheckNoMask(node.argument(1)));
  return node.SetOutput(
      EmitGather(node, node.GetTensor(0), IntegerIndices(node, node.GetTensor(1)), 0));
}

// (x, dim, indices)
absl::Status MapGather(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  const Emitted indices = IntegerIndices(node, node.GetTensor(2));
  return node.SetOutput(EmitGatherElements(node, x, indices, static_cast<size_t>(axis)));
}

// (x, indices): of x as a list.
absl::Status MapTake(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted indices = IntegerIndices(node, node.GetTensor(1));
  return node.SetOutput(EmitGather(node, EmitFlat(node, x, ".list"), indices, 0));
}

// (x, indices, dim): gather of both broadcast, but for the dimension; without one, of both as
// lists.
absl::Status MapTakeAlong(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * indices, IntegerIndices(node, node.GetTensor(1)));
  if (!node.Has(2)) {
    const Emitted list = EmitFlat(node, indices, ".places");
    return node.SetOutput(EmitGather(node, EmitFlat(node, x, ".list"), list, 0));
  }
  const Shape &s = x->type.shape, &places = indices->type.shape;
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(2, s.rank()));
  if (places.rank() != s.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("its indices are ", places.ToString(),
                                                   ", expected ", s.rank(), " dimensions"));
  }
  const auto at = static_cast<size_t>(axis);
  Shape outer = s, inner = places;
  outer[at] = inner[at] = 1;
  ASSIGN_OR_RETURN(Dims dims, BroadcastDims(outer, inner));
  dims[at] = s[at];
  ASSIGN_OR_RETURN(Tensor * wide, EmitExpand(node, x, dims, ".wide"));
  dims[at] = places[at];
  const Emitted all = EmitExpand(node, indices, std::move(dims), ".places");
  return node.SetOutput(EmitGatherElements(node, wide, all, at));
}

// All choices of `size` of the numbers below n in ascending order, each number once or any number
// of times, one choice after the other. ResourceExhausted beyond the builder's budget.
absl::StatusOr<Dims> ChoicesOf(NodeContext& node, int64_t n, int64_t size, bool repeats) {
  Dims choices;
  if (size < 1 || n < (repeats ? 1 : size)) return choices;
  RETURN_IF_ERROR(node.ChargeValues<int64_t>(Shape({size})));
  Dims choice(static_cast<size_t>(size));
  for (size_t i = 0; i < choice.size(); ++i) choice[i] = repeats ? 0 : static_cast<int64_t>(i);
  for (;;) {
    RETURN_IF_ERROR(node.builder().Charge(size * int64_t{sizeof(int64_t)}));
    choices.insert(choices.end(), choice.begin(), choice.end());
    // The last number that can still grow does; those after it begin anew.
    int64_t at = size - 1;
    const auto most = [&](int64_t i) { return repeats ? n - 1 : n - size + i; };
    while (at >= 0 && choice[static_cast<size_t>(at)] == most(at)) --at;
    if (at < 0) return choices;
    int64_t next = ++choice[static_cast<size_t>(at)];
    while (++at < size) choice[static_cast<size_t>(at)] = repeats ? next : ++next;
  }
}

// (x [N], r, with_replacement): [choices, r].
absl::Status MapCombinations(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t size, node.GetIntOr(1, 2));
  ASSIGN_OR_RETURN(const bool repeats, node.GetBoolOr(2, false));
  if (x->type.shape.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x->type.shape.ToString(), ", expected one dimension"));
  }
  ASSIGN_OR_RETURN(Dims choices, ChoicesOf(node, x->type.shape[0], size, repeats));
  if (choices.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("it has no choice of ", size, " of ", x->type.shape[0], " elements"));
  }
  const Shape shape({static_cast<int64_t>(choices.size()) / size, size});
  return node.SetOutput(EmitGather(node, x, node.Values(shape, std::move(choices), ".choices"), 0));
}

constexpr char kIndices[] = "indices, not a mask (bool or uint8)";
constexpr char kIndicesOrMask[] = "indices, and masks (bool or uint8) that are constant";

constexpr OpMapping kIndexingMappings[] = {
    {"aten::index", 2, MapIndex, Result::kAlike, kIndicesOrMask},
    {"aten::_unsafe_index", 2, MapIndex, Result::kAlike, kIndicesOrMask},
    {"aten::_unsafe_masked_index", 4, MapMaskedIndex, Result::kAlike, kIndicesOrMask},
    {"aten::index_select", 3, MapIndexSelect, Result::kAlike, kIndices},
    {"aten::embedding", 2, MapEmbedding, Result::kAlike, kIndices},
    {"aten::combinations", 1, MapCombinations, Result::kAlike},
    {"aten::gather", 3, MapGather, Result::kAlike},
    {"aten::take", 2, MapTake, Result::kAlike},
    {"aten::take_along_dim", 2, MapTakeAlong, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::torchscript_import
