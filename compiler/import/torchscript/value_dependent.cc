#include "compiler/import/torchscript/value_dependent.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/constant_elements.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// The coordinates, [dimension][element], of the elements of argument 0 that aren't 0.
absl::StatusOr<std::vector<Dims>> NonZeroCoordinates(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  RETURN_IF_ERROR(CheckSelectsByConstant(*x));
  ASSIGN_OR_RETURN(const Dims found, NonZeroElements(node.builder(), *x));
  return CoordinatesOf(node.builder(), x->type.shape, found);
}

// (x): [count, rank]
absl::Status MapNonZero(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Dims> coordinates, NonZeroCoordinates(node));
  if (coordinates.empty())
    return absl::UnimplementedError("its input is a scalar, expected one dimension or more");
  const size_t count = coordinates[0].size();
  Dims rows;
  for (size_t i = 0; i < count; ++i) {
    for (const Dims& along : coordinates) rows.push_back(along[i]);
  }
  const Shape shape({static_cast<int64_t>(count), static_cast<int64_t>(coordinates.size())});
  return node.SetOutput(node.Values(shape, std::move(rows)), false);
}

// The coordinates of the elements of a tensor of this shape at `places` [k], row-major: [k, rank].
Emitted EmitCoordinates(NodeContext& node, const Shape& shape, Tensor* places) {
  std::vector<Emitted> columns;
  int64_t stride = shape.elements();
  for (size_t d = 0; d < shape.rank(); ++d) {
    OpEmitter step = node.Step(static_cast<int64_t>(d));
    stride /= std::max<int64_t>(shape[d], 1);
    const Emitted row = step.Emit("div", {places, node.Integer(stride, ".stride")}, {}, ".row");
    const Emitted along = step.Emit("mod", {row, node.Integer(shape[d], ".extent")}, {}, ".along");
    columns.push_back(step.Reshape(along, {places->type.shape[0], 1}, ".column"));
  }
  return EmitConcat(node, columns, 1, ".coordinates");
}

// (x, size, fill_value): [size, rank], the coordinates of the first elements that aren't 0 and,
// after these, the fill value.
absl::Status MapNonZeroOfSize(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Cast(node.GetTensor(0), DataType::kBool, ".nonzero"));
  const Shape shape = x->type.shape;
  ASSIGN_OR_RETURN(const int64_t size, node.GetInt(1));
  ASSIGN_OR_RETURN(const int64_t fill, node.GetIntOr(2, -1));
  const int64_t taken = std::min(size, shape.elements());
  if (shape.rank() == 0 || taken < 1) {
    return absl::UnimplementedError(absl::StrCat("it takes ", size, " elements of ",
                                                 shape.ToString(),
                                                 ", expected one dimension and element or more"));
  }
  ASSIGN_OR_RETURN(Tensor * flags,
                   node.Cast(EmitFlat(node, x, ".list"), DataType::kInt64, ".flags"));
  // Of equal flags the first comes first.
  ASSIGN_OR_RETURN(const TopK first, EmitTopK(node, flags, flags, {taken, 0, true}));
  const Emitted found =
      node.Reshape(node.Cast(first.values, DataType::kBool, ".found"), {taken, 1}, ".found_column");
  const Emitted coordinates = EmitCoordinates(node, shape, first.indices);
  const Emitted rows =
      node.Emit("where", {found, coordinates, node.Integer(fill, ".fill")}, {}, ".rows");
  if (size == taken) return node.SetOutput(rows, false);
  return node.SetOutput(
      node.Emit("pad", {rows},
                {{"pads", Dims{0, 0, size - taken, 0}}, {"value", static_cast<float>(fill)}}),
      false);
}

// (x, mask): those elements of both, broadcast, as a list.
absl::Status MapMaskedSelect(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * mask, node.Cast(node.GetTensor(1), DataType::kBool, ".mask"));
  RETURN_IF_ERROR(CheckSelectsByConstant(*mask));
  ASSIGN_OR_RETURN(Dims dims, BroadcastDims(x->type.shape, mask->type.shape));
  ASSIGN_OR_RETURN(mask, EmitExpand(node, mask, dims, ".whole"));
  RETURN_IF_ERROR(CheckSelectsByConstant(*mask));  // it may be too large to be computed
  ASSIGN_OR_RETURN(x, EmitExpand(node, x, std::move(dims), ".wide"));
  ASSIGN_OR_RETURN(const Dims kept, NonZeroElements(node.builder(), *mask));
  const Emitted list = EmitFlat(node, x, ".list");
  return node.SetOutput(
      EmitGather(node, list, node.builder().AddInts(node.Name(".kept"), kept), 0));
}

// --- Distinct elements

// Whether its elements are compared along a dimension, and where the argument for that is.
struct UniqueForm {
  bool along_axis = false;
  int64_t axis = 0;
  DistinctOrder order = DistinctOrder::kAscending;
};

// unique_dim (x, dim, ...), unique_dim_consecutive (x, dim, ...), unique_consecutive (x,
// return_inverse, return_counts, dim); _unique and _unique2 (x, ...) are of x as a list.
absl::StatusOr<UniqueForm> ReadUniqueForm(NodeContext& node, size_t rank) {
  const std::string& kind = node.kind();
  UniqueForm form;
  if (absl::StrContains(kind, "consecutive")) form.order = DistinctOrder::kNeighbors;
  const size_t at = absl::StrContains(kind, "_dim")      ? 1
                    : kind == "aten::unique_consecutive" ? 3
                                                         : node.size();
  form.along_axis = node.Has(at);
  if (form.along_axis) {
    ASSIGN_OR_RETURN(form.axis, node.GetAxis(at, rank));
  }
  return form;
}

// Outputs: the distinct slices, the place of each slice among them (of the shape of a list's x),
// and how often each occurs.
absl::Status MapUnique(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  RETURN_IF_ERROR(CheckSelectsByConstant(*x));
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(const UniqueForm form, ReadUniqueForm(node, s.rank()));
  if (!form.along_axis) {
    ASSIGN_OR_RETURN(x, EmitFlat(node, x, ".list"));
  }
  ASSIGN_OR_RETURN(const Distinct distinct, FindDistinct(node, x, static_cast<size_t>(form.axis),
                                                         form.order, EqualNan::kNo));
  GraphBuilder& builder = node.builder();
  Tensor* first = builder.AddInts(node.Name(".first"), distinct.first);
  Tensor* inverse = builder.AddInts(node.Name(".inverse"), distinct.inverse);
  Tensor* counts = builder.AddInts(node.Name(".counts"), distinct.counts);
  ASSIGN_OR_RETURN(Tensor * values, EmitGather(node, x, first, form.axis));
  if (!form.along_axis) {
    ASSIGN_OR_RETURN(inverse, node.Reshape(inverse, s.dims(), ".places"));
  }
  return node.SetOutputs({Value::Of(values), Value::Of(inverse, false), Value::Of(counts, false)});
}

constexpr char kConstants[] = "constants: how many elements there are depends on their values";
constexpr char kConstantsOrSize[] =
    "constants: how many elements there are depends on their values; nonzero_static takes a given "
    "number of computed ones";
constexpr char kConstantMask[] =
    "a constant mask: how many elements there are depends on its values; torch.where keeps all";

constexpr OpMapping kValueDependentMappings[] = {
    {"aten::nonzero", 1, MapNonZero, kConstantsOrSize},
    {"aten::argwhere", 1, MapNonZero, kConstantsOrSize},
    {"aten::nonzero_numpy", 1, MapNonZeroList, kConstantsOrSize},
    {"aten::nonzero_static", 2, MapNonZeroOfSize},
    {"aten::masked_select", 2, MapMaskedSelect, Result::kAlike, kConstantMask},
    {"aten::_unique", 1, MapUnique, Result::kAlike, kConstants},
    {"aten::_unique2", 1, MapUnique, Result::kAlike, kConstants},
    {"aten::unique_dim", 2, MapUnique, Result::kAlike, kConstants},
    {"aten::unique_consecutive", 1, MapUnique, Result::kAlike, kConstants},
    {"aten::unique_dim_consecutive", 2, MapUnique, Result::kAlike, kConstants},
};

}  // namespace

absl::Status MapNonZeroList(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Dims> coordinates, NonZeroCoordinates(node));
  List list;
  for (const Dims& along : coordinates) {
    const std::string name = node.Name(absl::StrCat(".along", list.size()));
    list.push_back(Value::Of(node.builder().AddInts(name, along), false));
  }
  return node.SetOutput(Value::Of(std::move(list)));
}

absl::Span<const OpMapping> ValueDependentMappings() { return kValueDependentMappings; }

}  // namespace synap_internal::torchscript_import
