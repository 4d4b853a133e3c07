// Operators that give the same elements another shape or order, or repeat them.
#include "compiler/import/emit/shape.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status SetReshaped(NodeContext& node, Tensor* x, Dims dims) {
  if (x->type.shape.dims() == dims) return node.SetOutput(x);
  return node.SetOutput(node.Reshape(x, std::move(dims)));
}

absl::Status MapView(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(1));
  ASSIGN_OR_RETURN(dims, ResolveReshape(x->type.shape, std::move(dims)));
  return SetReshaped(node, x, std::move(dims));
}

absl::Status MapViewAs(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(1));
  return SetReshaped(node, x, other->type.shape.dims());
}

// (x, first and last of the dimensions that become one)
absl::Status MapFlatten(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (x->type.shape.rank() == 0) return SetReshaped(node, x, {1});
  ASSIGN_OR_RETURN(const int64_t first, node.GetIntOr(1, 0));
  ASSIGN_OR_RETURN(const int64_t last, node.GetIntOr(2, -1));
  ASSIGN_OR_RETURN(Dims dims, FlattenedDims(x->type.shape, first, last));
  return SetReshaped(node, x, std::move(dims));
}

// (x, dimension, the ones that it becomes)
absl::Status MapUnflatten(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, x->type.shape.rank()));
  ASSIGN_OR_RETURN(Dims parts, node.GetInts(2));
  const auto at = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(Dims dims, ReplacedDims(x->type.shape, at, at + 1, std::move(parts)));
  return SetReshaped(node, x, std::move(dims));
}

// Removes all dimensions of 1, or those of the listed ones that are 1.
absl::Status MapSqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  Dims axes = AxesOfOne(s);
  if (node.Has(1) && s.rank() > 0) {
    ASSIGN_OR_RETURN(axes, node.GetAxes(1, s.rank()));
    const auto stays = [&](int64_t axis) { return s[static_cast<size_t>(axis)] != 1; };
    axes.erase(std::remove_if(axes.begin(), axes.end(), stays), axes.end());
  }
  ASSIGN_OR_RETURN(Dims dims, SqueezedDims(s, std::move(axes)));
  return SetReshaped(node, x, std::move(dims));
}

absl::Status MapUnsqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetInt(1));
  ASSIGN_OR_RETURN(Dims dims, UnsqueezedDims(x->type.shape, {axis}));
  return node.SetOutput(node.Reshape(x, std::move(dims)));
}

absl::Status MapPermute(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims perm, node.GetInts(1));
  if (perm.size() != x->type.shape.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its permutation [", absl::StrJoin(perm, ", "), "] doesn't fit its input ",
                     x->type.shape.ToString(), ", expected one number for each dimension"));
  }
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), x->type.shape.rank()));
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

// Swaps two dimensions; t swaps those of a matrix.
absl::Status MapTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  int64_t a = 0, b = 1;
  if (node.kind() == "aten::t" || node.kind() == "aten::t_copy") {
    if (rank < 2) return node.SetOutput(x);
  } else {
    ASSIGN_OR_RETURN(a, node.GetAxis(1, rank));
    ASSIGN_OR_RETURN(b, node.GetAxis(2, rank));
  }
  Dims perm = AxesFrom(0, rank);
  std::swap(perm[static_cast<size_t>(a)], perm[static_cast<size_t>(b)]);
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

// Expands x to `dims`, of which -1 keeps a dimension of x.
absl::Status SetExpanded(NodeContext& node, Tensor* x, Dims dims) {
  const Shape& s = x->type.shape;
  if (dims.size() < s.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("can't expand ", s.ToString(), " to [",
                                                   absl::StrJoin(dims, ", "),
                                                   "], which has fewer dimensions"));
  }
  const size_t added = dims.size() - s.rank();
  for (size_t i = added; i < dims.size(); ++i) {
    if (dims[i] == -1) dims[i] = s[i - added];
  }
  return node.SetOutput(EmitExpand(node, x, std::move(dims)));
}

absl::Status MapExpand(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (node.kind() == "aten::expand_as") {
    ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(1));
    return SetExpanded(node, x, other->type.shape.dims());
  }
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(1));
  return SetExpanded(node, x, std::move(dims));
}

absl::Status MapRepeat(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims repeats, node.GetInts(1));
  const size_t rank = x->type.shape.rank();
  if (repeats.size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it repeats ", repeats.size(), " dimensions, expected at most ", Shape::kMaxRank));
  }
  if (repeats.size() < rank) repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  if (repeats.size() == rank) return node.SetOutput(EmitTile(node, x, repeats));
  Dims dims = x->type.shape.dims();
  dims.insert(dims.begin(), repeats.size() - rank, 1);
  return node.SetOutput(EmitTile(node, node.Reshape(x, std::move(dims), ".lifted"), repeats));
}

// Argument `at`, a number or a constant tensor, for each of `count` elements.
absl::StatusOr<Dims> ReadRepeats(NodeContext& node, size_t at, size_t count) {
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(count * sizeof(int64_t))));
  if (!node.argument(at).IsTensor()) return node.GetIntsOf(at, count);
  ASSIGN_OR_RETURN(const Tensor* repeats, node.GetTensor(at));
  ASSIGN_OR_RETURN(const Dims values, ConstantInts(*repeats, "repeats"));
  if (values.size() == 1) return Dims(count, values[0]);
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(
      absl::StrCat("it has ", values.size(), " repeats for ", count, " elements"));
}

// Indices 0, 1, ... each as often as `repeats` says.
Emitted RepeatedIndices(NodeContext& node, const Dims& repeats) {
  int64_t total = 0;
  for (const int64_t times : repeats) {
    if (times < 0 || times > Shape::kMaxElements - total) {
      return absl::InvalidArgumentError(absl::StrCat("it repeats an element ", times, " times"));
    }
    total += times;
  }
  RETURN_IF_ERROR(node.builder().Charge(total * int64_t{sizeof(int64_t)}));
  Dims indices;
  for (size_t i = 0; i < repeats.size(); ++i) {
    indices.insert(indices.end(), static_cast<size_t>(repeats[i]), static_cast<int64_t>(i));
  }
  return node.Values(Shape({total}), std::move(indices), ".indices");
}

// (x, repeats, dim, ...): each element as often as `repeats`, one number or one for each, says;
// (repeats, ...): the indices for that.
absl::Status MapRepeatInterleave(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (node.size() == 2) {
    ASSIGN_OR_RETURN(const Dims repeats,
                     ReadRepeats(node, 0, static_cast<size_t>(x->type.shape.elements())));
    return node.SetOutput(RepeatedIndices(node, repeats), false);
  }
  int64_t axis = 0;
  if (node.Has(2)) {
    ASSIGN_OR_RETURN(axis, node.GetAxis(2, x->type.shape.rank()));
  } else {
    ASSIGN_OR_RETURN(x, EmitFlat(node, x, ".flat"));
  }
  if (x->type.shape.rank() == 0) return absl::InvalidArgumentError("its input is a scalar");
  const int64_t count = x->type.shape[static_cast<size_t>(axis)];
  ASSIGN_OR_RETURN(const Dims repeats, ReadRepeats(node, 1, static_cast<size_t>(count)));
  return node.SetOutput(EmitGather(node, x, RepeatedIndices(node, repeats), axis));
}

// The written values take the shape and the type of the tensor that they are written to.
absl::Status MapCopy(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* to, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(node.GetNumbers(1), to->type.dtype, ".cast"));
  return SetExpanded(node, x, to->type.shape.dims());
}

constexpr OpMapping kShapeMappings[] = {
    {"aten::view", 2, MapView, Result::kOrderedView},
    {"aten::reshape", 2, MapView, Result::kViewOrCopy},
    {"aten::_unsafe_view", 2, MapView, Result::kAlike},
    {"aten::view_copy", 2, MapView, Result::kAlike},
    {"aten::_reshape_copy", 2, MapView, Result::kAlike},
    {"aten::_reshape_alias", 2, MapView, Result::kView},
    {"aten::_reshape_alias_copy", 2, MapView, Result::kAlike},
    {"aten::view_as", 2, MapViewAs, Result::kOrderedView},
    {"aten::reshape_as", 2, MapViewAs, Result::kViewOrCopy},
    {"aten::flatten", 1, MapFlatten, Result::kViewOrCopy},
    {"aten::unflatten", 3, MapUnflatten, Result::kOrderedView},
    {"aten::squeeze", 1, MapSqueeze, Result::kOrderedView},
    {"aten::squeeze_copy", 1, MapSqueeze, Result::kAlike},
    {"aten::unsqueeze", 2, MapUnsqueeze, Result::kOrderedView},
    {"aten::unsqueeze_copy", 2, MapUnsqueeze, Result::kAlike},
    {"aten::permute", 2, MapPermute, Result::kView},
    {"aten::permute_copy", 2, MapPermute, Result::kAlike},
    {"aten::transpose", 3, MapTranspose, Result::kView},
    {"aten::transpose_copy", 3, MapTranspose, Result::kAlike},
    {"aten::swapaxes", 3, MapTranspose, Result::kView},
    {"aten::swapdims", 3, MapTranspose, Result::kView},
    {"aten::t", 1, MapTranspose, Result::kView},
    {"aten::t_copy", 1, MapTranspose, Result::kAlike},
    {"aten::expand", 2, MapExpand, Result::kView},
    {"aten::expand_copy", 2, MapExpand, Result::kAlike},
    {"aten::expand_as", 2, MapExpand, Result::kView},
    {"aten::broadcast_to", 2, MapExpand, Result::kView},
    {"aten::repeat", 2, MapRepeat, Result::kAlike},
    {"aten::tile", 2, MapRepeat, Result::kAlike},
    {"aten::repeat_interleave", 2, MapRepeatInterleave, Result::kAlike, "constant repeats"},
    {"aten::copy", 2, MapCopy, Result::kAlike},
    {"aten::fill", 2, MapCopy, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::torchscript_import
