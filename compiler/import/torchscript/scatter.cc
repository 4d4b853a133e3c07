// Operators that write elements to computed places.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/index_list.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Argument `at`, a tensor or a number, as the type of x.
Emitted GetLike(NodeContext& node, size_t at, const Tensor& x) {
  return node.Cast(node.GetNumbers(at), x.type.dtype, ".values");
}

// --- Reductions of what comes to one place

// x with updates by a reduction of op scatter, named node.Name(suffix).
using Scatter = absl::FunctionRef<Emitted(Tensor* x, Tensor* updates, absl::string_view reduction,
                                          absl::string_view suffix)>;

struct Reduce {
  absl::string_view name;       // PyTorch's
  absl::string_view reduction;  // op scatter's
  // What it begins with where x doesn't count.
  float real;
  int64_t integer;
};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Reduce kReduces[] = {
    {"sum", "add", 0, 0},
    {"add", "add", 0, 0},
    {"mean", "add", 0, 0},
    {"prod", "mul", 1, 1},
    {"multiply", "mul", 1, 1},
    {"amax", "max", -kInfinity, std::numeric_limits<int64_t>::min()},
    {"amin", "min", kInfinity, std::numeric_limits<int64_t>::max()},
};

absl::StatusOr<Reduce> FindReduce(absl::string_view name) {
  for (const Reduce& reduce : kReduces) {
    if (reduce.name == name) return reduce;
  }
  return absl::UnimplementedError(absl::StrCat("its reduction is '", name, "'"));
}

// A number of the type and shape of x.
Emitted FilledLike(NodeContext& node, const Tensor& x, float real, int64_t integer,
                   absl::string_view suffix) {
  Tensor* number = x.type.dtype == DataType::kFloat32 ? node.Scalar(real, suffix)
                                                      : node.Integer(integer, suffix);
  return EmitExpand(node, node.Cast(number, x.type.dtype, suffix), x.type.shape.dims(), suffix);
}

// sum / how many there are of it, counting x itself or not.
Emitted MeanOf(NodeContext& node, Tensor* sum, Tensor* updates, bool include_self,
               Scatter scatter) {
  const int64_t own = include_self ? 1 : 0;
  ASSIGN_OR_RETURN(Tensor * start,
                   FilledLike(node, *sum, static_cast<float>(own), own, ".counted"));
  ASSIGN_OR_RETURN(Tensor * ones, FilledLike(node, *updates, 1, 1, ".ones"));
  Emitted count = scatter(start, ones, "add", ".counts");
  if (!include_self) {
    count = node.Emit("maximum", {count, FilledLike(node, *sum, 1, 1, ".one")}, {}, ".count");
  }
  if (sum->type.dtype == DataType::kFloat32) return node.Emit("div", {sum, count});
  return EmitFloorDiv(node, sum, count);
}

// x with `updates` combined by a reduction of PyTorch's; without `include_self`, what is at these
// places doesn't count.
Emitted EmitReduced(NodeContext& node, Tensor* x, Tensor* updates, absl::string_view name,
                    bool include_self, Scatter scatter) {
  ASSIGN_OR_RETURN(const Reduce reduce, FindReduce(name));
  const bool mean = reduce.name == "mean";
  if (!include_self) {
    ASSIGN_OR_RETURN(Tensor * nothing,
                     FilledLike(node, *updates, reduce.real, reduce.integer, ".nothing"));
    ASSIGN_OR_RETURN(x, scatter(x, nothing, "none", ".cleared"));
  }
  ASSIGN_OR_RETURN(Tensor * y, scatter(x, updates, reduce.reduction, mean ? ".sum" : ""));
  return mean ? MeanOf(node, y, updates, include_self, scatter) : y;
}

// --- Single elements: y[.., indices[i...], ..] = updates[i...]

struct ElementWrite {
  Tensor* x = nullptr;
  size_t axis = 0;
  Tensor* indices = nullptr;
  Tensor* updates = nullptr;  // of the shape of the indices
};

// The first elements of argument `at`, as many as there are indices; a number for all of them.
Emitted ReadUpdates(NodeContext& node, size_t at, const Tensor& x, const Shape& places) {
  ASSIGN_OR_RETURN(Tensor * updates, GetLike(node, at, x));
  const Shape& s = updates->type.shape;
  if (s.rank() == 0) return EmitExpand(node, updates, places.dims(), ".updates");
  bool fits = s.rank() == places.rank();
  std::vector<AxisSlice> first;
  for (size_t i = 0; fits && i < s.rank(); ++i) {
    fits = places[i] <= s[i];
    first.push_back({0, places[i], 1});
  }
  if (fits) return EmitSlices(node, updates, first, ".updates");
  return absl::InvalidArgumentError(absl::StrCat("its source is ", s.ToString(),
                                                 ", expected at least the dimensions of its "
                                                 "indices ",
                                                 places.ToString()));
}

// (x, dim, indices, source or number, ...)
absl::StatusOr<ElementWrite> ReadElementWrite(NodeContext& node) {
  ElementWrite write;
  ASSIGN_OR_RETURN(write.x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, write.x->type.shape.rank()));
  write.axis = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(write.indices, IntegerIndices(node, node.GetTensor(2)));
  ASSIGN_OR_RETURN(write.updates, ReadUpdates(node, 3, *write.x, write.indices->type.shape));
  return write;
}

// scatter, scatter_add; with a fifth argument scatter_reduce.
absl::Status SetScattered(NodeContext& node, absl::string_view reduce, bool include_self) {
  ASSIGN_OR_RETURN(const ElementWrite write, ReadElementWrite(node));
  const auto scatter = [&](Tensor* to, Tensor* values, absl::string_view reduction,
                           absl::string_view suffix) {
    return EmitScatterElements(node, to, write.indices, values, write.axis, reduction, suffix);
  };
  if (reduce.empty()) return node.SetOutput(scatter(write.x, write.updates, "none", ""));
  return node.SetOutput(EmitReduced(node, write.x, write.updates, reduce, include_self, scatter));
}

// (x, dim, indices, source or number, reduction)
absl::Status MapScatter(NodeContext& node) {
  if (node.kind() == "aten::scatter_add") return SetScattered(node, "sum", true);
  if (!node.Has(4)) return SetScattered(node, "", true);
  ASSIGN_OR_RETURN(const std::string reduce, node.GetString(4));
  return SetScattered(node, reduce, true);
}

// (x, dim, indices, source, reduction, include_self)
absl::Status MapScatterReduce(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string reduce, node.GetString(4));
  ASSIGN_OR_RETURN(const bool include_self, node.GetBoolOr(5, true));
  return SetScattered(node, reduce, include_self);
}

// (x, indices, source, accumulate): of x as a list.
absl::Status MapPut(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const bool accumulate, node.GetBoolOr(3, false));
  const Emitted indices = EmitFlat(node, IntegerIndices(node, node.GetTensor(1)), ".places");
  const Emitted updates = EmitFlat(node, GetLike(node, 2, *x), ".updates");
  const Emitted y = EmitScatterSlices(node, EmitFlat(node, x, ".list"), indices, updates, 0,
                                      accumulate ? "add" : "none", ".written");
  return node.SetOutput(node.Reshape(y, x->type.shape.dims()));
}

// --- Slices: y[.., indices[i], ..] = updates[.., i, ..]

struct SliceWrite {
  Tensor* x = nullptr;
  size_t axis = 0;
  Emitted indices = nullptr;  // [k]
  Tensor* updates = nullptr;  // x with k elements along the axis
};

// (x, dim, indices, source or number, ...)
absl::StatusOr<SliceWrite> ReadSliceWrite(NodeContext& node) {
  SliceWrite write;
  ASSIGN_OR_RETURN(write.x, node.GetTensor(0));
  const Shape& s = write.x->type.shape;
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, s.rank()));
  write.axis = static_cast<size_t>(axis);
  RETURN_IF_ERROR(CheckNoMask(node.argument(2)));
  write.indices = EmitFlat(node, IntegerIndices(node, node.GetTensor(2)), ".places");
  RETURN_IF_ERROR(write.indices.status());
  Dims dims = s.dims();
  dims[write.axis] = (*write.indices)->type.shape.elements();
  ASSIGN_OR_RETURN(Tensor * updates, GetLike(node, 3, *write.x));
  // A scalar index may have a source without the dimension.
  if (updates->type.shape.rank() + 1 == s.rank() && dims[write.axis] == 1) {
    ASSIGN_OR_RETURN(updates, node.Reshape(updates, dims, ".updates"));
  }
  ASSIGN_OR_RETURN(write.updates, EmitExpand(node, updates, std::move(dims), ".updates"));
  return write;
}

absl::Status SetSliceWrite(NodeContext& node, const SliceWrite& write,
                           absl::string_view reduction) {
  return node.SetOutput(
      EmitScatterSlices(node, write.x, write.indices, write.updates, write.axis, reduction));
}

// (x, dim, indices, source, alpha): x + alpha * source.
absl::Status MapIndexAdd(NodeContext& node) {
  ASSIGN_OR_RETURN(SliceWrite write, ReadSliceWrite(node));
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(4, 1));
  if (alpha != 1) {
    ASSIGN_OR_RETURN(write.updates,
                     node.Emit("mul", {write.updates, GetLike(node, 4, *write.x)}, {}, ".scaled"));
  }
  return SetSliceWrite(node, write, "add");
}

// index_copy (x, dim, indices, source); index_fill (x, dim, indices, number)
absl::Status MapIndexCopy(NodeContext& node) {
  ASSIGN_OR_RETURN(const SliceWrite write, ReadSliceWrite(node));
  return SetSliceWrite(node, write, "none");
}

// (x, dim, indices, source, reduction, include_self)
absl::Status MapIndexReduce(NodeContext& node) {
  ASSIGN_OR_RETURN(const SliceWrite write, ReadSliceWrite(node));
  ASSIGN_OR_RETURN(const std::string reduce, node.GetString(4));
  ASSIGN_OR_RETURN(const bool include_self, node.GetBoolOr(5, true));
  const auto scatter = [&](Tensor* to, Tensor* values, absl::string_view reduction,
                           absl::string_view suffix) {
    return EmitScatterSlices(node, to, write.indices, values, write.axis, reduction, suffix);
  };
  return node.SetOutput(EmitReduced(node, write.x, write.updates, reduce, include_self, scatter));
}

// --- Between brackets: x[indices] = values

// The one mask that is among the indices, and the axis of x that it begins at.
struct LoneMask {
  const Value* value = nullptr;
  size_t axis = 0;
};

std::optional<LoneMask> FindLoneMask(const List& indices) {
  std::optional<LoneMask> found;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].IsNone()) continue;
    if (found.has_value() || !IsMask(indices[i])) return std::nullopt;
    found = LoneMask{&indices[i], i};
  }
  return found;
}

// The shape in which values of x[.., mask, ..] broadcast to x, where the mask's dimensions have
// `rest` of x after them; nothing if the values are one for each element that the mask picks.
std::optional<Dims> DimsBesideMask(const Shape& values, size_t mask_rank, size_t rest) {
  Dims dims = values.dims();
  if (dims.size() <= rest) return dims;
  const size_t picked = dims.size() - rest - 1;
  if (dims[picked] != 1) return std::nullopt;
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(picked));
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(picked), mask_rank, 1);
  return dims;
}

// x with `values` (or x + values) where a mask is true: nothing has to know how many these are.
// Null if there are other indices, or a value for each of these elements.
Emitted EmitWhereMask(NodeContext& node, Tensor* x, Tensor* values, bool accumulate) {
  const std::optional<LoneMask> lone = FindLoneMask(*node.argument(1).AsList());
  if (!lone.has_value()) return nullptr;
  ASSIGN_OR_RETURN(Tensor * mask, node.Cast(TensorOf(*lone->value), DataType::kBool, ".mask"));
  const Shape &s = x->type.shape, &m = mask->type.shape;
  if (lone->axis + m.rank() > s.rank() || m.rank() == 0) return nullptr;
  const size_t rest = s.rank() - lone->axis - m.rank();
  const std::optional<Dims> dims = DimsBesideMask(values->type.shape, m.rank(), rest);
  if (!dims.has_value()) return nullptr;
  Dims along = m.dims();
  along.insert(along.end(), rest, 1);
  const Emitted condition = node.Reshape(mask, std::move(along), ".condition");
  Emitted written = node.Reshape(values, *dims, ".beside");
  if (accumulate) written = node.Emit("add", {x, written}, {}, ".sum");
  return node.Emit("where", {condition, written, x});
}

// (x, indices, values, accumulate, ...)
absl::Status MapIndexPut(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * values, GetLike(node, 2, *x));
  ASSIGN_OR_RETURN(const bool accumulate, node.GetBoolOr(3, false));
  if (node.argument(1).AsList() != nullptr) {
    ASSIGN_OR_RETURN(Tensor * y, EmitWhereMask(node, x, values, accumulate));
    if (y != nullptr) return node.SetOutput(y);
  }
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(const IndexList list, ReadIndexList(node, 1, s));
  if (list.picked.empty()) {
    return node.SetOutput(EmitExpand(
        node, accumulate ? node.Emit("add", {x, values}, {}, ".sum") : values, s.dims()));
  }
  ASSIGN_OR_RETURN(Tensor * index, FlatIndex(node, list, s));
  const Dims& places = index->type.shape.dims();
  // The values as x[indices] has its dimensions, then those of the indices first.
  const Dims sizes = IndexList::SizesOf(s, list.picked), rest = IndexList::SizesOf(s, list.kept);
  Dims dims = rest;
  dims.insert(dims.begin() + list.axis, places.begin(), places.end());
  Dims front = AxesFrom(0, dims.size());
  std::rotate(front.begin(), front.begin() + list.axis,
              front.begin() + list.axis + static_cast<ptrdiff_t>(places.size()));
  Emitted updates = EmitExpand(node, values, std::move(dims), ".all");
  if (list.axis > 0) updates = node.Transpose(updates, std::move(front), ".updates");
  // x as [picked..., kept...], the picked dimensions as one.
  Dims order = list.picked;
  order.insert(order.end(), list.kept.begin(), list.kept.end());
  Dims back = InversePermutation(order);
  const bool ordered = std::is_sorted(order.begin(), order.end());
  Dims rows = rest, apart = sizes;
  rows.insert(rows.begin(), Shape(sizes).elements());
  apart.insert(apart.end(), rest.begin(), rest.end());
  const Emitted turned = ordered ? x : node.Transpose(x, std::move(order), ".turned");
  Emitted y = EmitScatterSlices(node, node.Reshape(turned, std::move(rows), ".rows"), index,
                                updates, 0, accumulate ? "add" : "none", ".scattered");
  if (ordered) return node.SetOutput(node.Reshape(y, std::move(apart)));
  y = node.Reshape(y, std::move(apart), ".apart");
  return node.SetOutput(node.Transpose(y, std::move(back)));
}

// (x, mask, source): where the mask is true, the elements of the source one after the other.
absl::Status MapMaskedScatter(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * mask, node.Cast(node.GetTensor(1), DataType::kBool, ".mask"));
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(x->type.shape, mask->type.shape));
  const Emitted whole = EmitExpand(node, mask, dims, ".whole");
  const Emitted flags = node.Cast(EmitFlat(node, whole, ".list"), DataType::kInt64, ".flags");
  const Emitted count = node.Emit("cumsum", {flags}, {{"axis", int64_t{0}}}, ".count");
  // Before the first one the index is -1, which picks an element that isn't used.
  Tensor* one = node.Integer(1, ".one");
  const Emitted places = node.Emit("sub", {count, one}, {}, ".places");
  const Emitted source = EmitFlat(node, GetLike(node, 2, *x), ".source");
  const Emitted picked = EmitGather(node, source, places, 0, ".picked");
  return node.SetOutput(node.Emit("where", {whole, node.Reshape(picked, dims, ".updates"), x}));
}

// --- Parts at fixed places

// The source, argument 1, in place of the part that a slice takes along an axis.
absl::Status SetReplacedPart(NodeContext& node, Tensor* x, size_t axis, const AxisSlice& slice) {
  Dims dims = x->type.shape.dims();
  dims[axis] = slice.size;
  Emitted part = GetLike(node, 1, *x);
  RETURN_IF_ERROR(part.status());
  const bool dropped = (*part)->type.shape.rank() + 1 == dims.size() && slice.size == 1;
  part = dropped ? node.Reshape(part, std::move(dims), ".part")
                 : EmitExpand(node, part, std::move(dims), ".part");
  return node.SetOutput(EmitReplacedSlice(node, x, part, axis, slice));
}

// (x, source, dim, start, end, step)
absl::Status MapSliceScatter(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, x->type.shape.rank(), 0));
  ASSIGN_OR_RETURN(const int64_t start, node.GetIntOr(3, 0));
  ASSIGN_OR_RETURN(const int64_t end, node.GetIntOr(4, std::numeric_limits<int64_t>::max()));
  ASSIGN_OR_RETURN(const int64_t step, node.GetIntOr(5, 1));
  const auto at = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(const AxisSlice slice, ResolveAxisSlice(x->type.shape[at], start, end, step));
  return SetReplacedPart(node, x, at, slice);
}

// (x, source, dim, index)
absl::Status MapSelectScatter(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(2, x->type.shape.rank()));
  const auto at = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(const int64_t index, node.GetAxis(3, static_cast<size_t>(x->type.shape[at])));
  return SetReplacedPart(node, x, at, {index, 1, 1});
}

constexpr char kMasks[] =
    "indices, constant masks (bool or uint8), and computed masks with one value for all elements";

constexpr OpMapping kScatterMappings[] = {
    {"aten::scatter", 4, MapScatter, Result::kAlike},
    {"aten::scatter_add", 4, MapScatter, Result::kAlike},
    {"aten::scatter_reduce", 5, MapScatterReduce, Result::kAlike},
    {"aten::put", 3, MapPut, Result::kAlike},
    {"aten::index_add", 4, MapIndexAdd, Result::kAlike},
    {"aten::index_copy", 4, MapIndexCopy, Result::kAlike},
    {"aten::index_fill", 4, MapIndexCopy, Result::kAlike},
    {"aten::index_reduce", 5, MapIndexReduce, Result::kAlike},
    {"aten::index_put", 3, MapIndexPut, Result::kAlike, kMasks},
    {"aten::_index_put_impl", 3, MapIndexPut, Result::kAlike, kMasks},
    {"aten::_unsafe_index_put", 3, MapIndexPut, Result::kAlike, kMasks},
    {"aten::masked_scatter", 3, MapMaskedScatter, Result::kAlike},
    {"aten::slice_scatter", 2, MapSliceScatter, Result::kAlike},
    {"aten::select_scatter", 4, MapSelectScatter, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ScatterMappings() { return kScatterMappings; }

}  // namespace synap_internal::torchscript_import
