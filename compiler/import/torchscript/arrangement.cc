// Operators that join, repeat or order tensors by rules of their own: NumPy's stacks, rotations and
// grids.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/matmul.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// --- Order of dimensions and elements

// (x, source, destination): these dimensions go there, the others keep their order.
absl::Status MapMoveDim(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const Dims from, node.GetAxes(1, rank));
  ASSIGN_OR_RETURN(const Dims to, node.GetAxes(2, rank));
  if (from.size() != to.size()) {
    return absl::InvalidArgumentError(absl::StrCat("it moves ", from.size(), " dimensions to ",
                                                   to.size(), " places, expected as many"));
  }
  const Dims others = OtherAxes(*x, from);
  Dims perm(rank, -1);
  for (size_t i = 0; i < from.size(); ++i) perm[static_cast<size_t>(to[i])] = from[i];
  size_t next = 0;
  for (int64_t& axis : perm) {
    if (axis == -1) axis = others[next++];
  }
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

// numpy_T: all dimensions backwards.
absl::Status MapReverseDims(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  Dims perm = AxesFrom(0, x->type.shape.rank());
  std::reverse(perm.begin(), perm.end());
  return node.SetOutput(node.Transpose(x, std::move(perm)));
}

Emitted EmitSwapped(NodeContext& node, const Emitted& given, int64_t a, int64_t b) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  Dims perm = AxesFrom(0, x->type.shape.rank());
  std::swap(perm[static_cast<size_t>(a)], perm[static_cast<size_t>(b)]);
  return node.Transpose(x, std::move(perm), ".swapped");
}

// mT, mH, adjoint: the last two dimensions of real numbers swapped.
absl::Status MapMatrixTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  if (x->type.shape.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x->type.shape.ToString(), ", expected [...,M,N]"));
  }
  return node.SetOutput(EmitMatrixTranspose(node, x, ".swapped"));
}

// (x, k, dims): k quarters of a turn from the first dimension towards the second.
absl::Status MapRot90(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t quarters, node.GetIntOr(1, 1));
  Dims axes = {0, 1};
  if (node.Has(2)) {
    ASSIGN_OR_RETURN(axes, node.GetInts(2));
  }
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x->type.shape.rank()));
  if (axes.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("it rotates ", axes.size(), " dimensions, expected 2"));
  }
  const int64_t turn = (quarters % 4 + 4) % 4;
  if (turn == 0) return node.SetOutput(x);
  if (turn == 2) return node.SetOutput(EmitReverse(node, x, axes));
  if (turn == 1) {
    return node.SetOutput(
        EmitSwapped(node, EmitReverse(node, x, {axes[1]}, ".flipped"), axes[0], axes[1]));
  }
  return node.SetOutput(EmitReverse(node, EmitSwapped(node, x, axes[0], axes[1]), {axes[1]}));
}

// fliplr and flipud.
absl::Status MapFlipAxis(NodeContext& node) {
  const int64_t axis = node.kind() == "aten::fliplr" ? 1 : 0;
  return node.SetOutput(EmitReverse(node, node.GetTensor(0), {axis}));
}

// --- Dimensions of 1

// `dims` as atleast_1d, 2d and 3d make them: [], [N], [M, N] become [1, 1, 1], [1, N, 1] and
// [M, N, 1] of 3d.
Dims AtLeast(Dims dims, size_t rank) {
  if (dims.empty()) return Dims(rank, 1);
  if (dims.size() == 1 && rank >= 2) dims.insert(dims.begin(), 1);
  if (dims.size() == 2 && rank == 3) dims.push_back(1);
  return dims;
}

Emitted EmitAtLeast(NodeContext& node, Tensor* x, size_t rank, absl::string_view suffix) {
  const Dims& dims = x->type.shape.dims();
  return dims.size() >= rank ? Emitted(x) : node.Reshape(x, AtLeast(dims, rank), suffix);
}

// Each of `tensors` likewise, as the most general of their types.
absl::StatusOr<std::vector<Emitted>> EmitAllAtLeast(NodeContext& node,
                                                    const std::vector<Tensor*>& tensors,
                                                    size_t rank) {
  if (tensors.empty()) {
    return absl::InvalidArgumentError("its list of tensors is empty, expected one or more");
  }
  RETURN_IF_ERROR(node.builder().ChargeOps(static_cast<int64_t>(tensors.size())));
  DataType type = DataType::kBool;
  for (const Tensor* x : tensors) type = MoreGeneral(type, x->type.dtype);
  std::vector<Emitted> all;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Emitted high = EmitAtLeast(node, tensors[i], rank, absl::StrCat(".high", i));
    all.push_back(node.Cast(high, type, absl::StrCat(".typed", i)));
  }
  return all;
}

// Of one tensor or a list of them.
template <size_t kRank>
absl::Status MapAtLeast(NodeContext& node) {
  if (node.argument(0).IsTensor()) {
    ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
    return node.SetOutput(EmitAtLeast(node, x, kRank, ""));
  }
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, node.GetTensors(0));
  for (size_t i = 0; i < tensors.size(); ++i) {
    ASSIGN_OR_RETURN(tensors[i], EmitAtLeast(node, tensors[i], kRank, absl::StrCat(".high", i)));
  }
  return node.SetList(std::move(tensors));
}

absl::Status MapRavel(NodeContext& node) {
  return node.SetOutput(EmitFlat(node, node.GetTensor(0)));
}

// --- Stacks

// Along the second dimension, of vectors the first.
absl::Status MapHStack(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors, node.GetTensors(0));
  ASSIGN_OR_RETURN(const std::vector<Emitted> parts, EmitAllAtLeast(node, tensors, 1));
  ASSIGN_OR_RETURN(const Tensor* first, parts[0]);
  return node.SetOutput(EmitConcat(node, parts, first->type.shape.rank() == 1 ? 0 : 1));
}

// Along one of at least `kRank` dimensions: the first of two, the third of three.
template <size_t kRank, int64_t kAxis>
absl::Status MapStackAlong(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors, node.GetTensors(0));
  ASSIGN_OR_RETURN(const std::vector<Emitted> parts, EmitAllAtLeast(node, tensors, kRank));
  return node.SetOutput(EmitConcat(node, parts, kAxis));
}

// Along the second dimension; vectors are columns.
absl::Status MapColumnStack(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, node.GetTensors(0));
  RETURN_IF_ERROR(node.builder().ChargeOps(static_cast<int64_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Shape& shape = tensors[i]->type.shape;
    if (shape.rank() >= 2) continue;
    ASSIGN_OR_RETURN(tensors[i],
                     node.Reshape(tensors[i], {shape.elements(), 1}, absl::StrCat(".column", i)));
  }
  ASSIGN_OR_RETURN(const std::vector<Emitted> parts, EmitAllAtLeast(node, tensors, 2));
  return node.SetOutput(EmitConcat(node, parts, 1));
}

// Matrices along a diagonal, zeros elsewhere; vectors are rows.
absl::Status MapBlockDiag(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors, node.GetTensors(0));
  ASSIGN_OR_RETURN(const std::vector<Emitted> blocks, EmitAllAtLeast(node, tensors, 2));
  int64_t width = 0;
  for (const Emitted& emitted : blocks) {
    ASSIGN_OR_RETURN(const Tensor* block, emitted);
    if (block->type.shape.rank() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "one of its tensors is ", block->type.shape.ToString(), ", expected a matrix"));
    }
    width += block->type.shape[1];
  }
  std::vector<Emitted> rows;
  int64_t left = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t columns = (*blocks[i])->type.shape[1];
    rows.push_back(node.Emit("pad", {blocks[i]},
                             {{"pads", Dims{0, left, 0, width - left - columns}}},
                             absl::StrCat(".row", i)));
    left += columns;
  }
  return node.SetOutput(EmitConcat(node, rows, 0));
}

// --- Repetition

// The shape that all of these broadcast to.
absl::StatusOr<Dims> CommonDims(const std::vector<Tensor*>& tensors) {
  Dims dims;
  for (const Tensor* x : tensors) {
    ASSIGN_OR_RETURN(dims, BroadcastDims(Shape(dims), x->type.shape));
  }
  return dims;
}

absl::Status MapBroadcastTensors(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors, node.GetTensors(0));
  ASSIGN_OR_RETURN(const Dims dims, CommonDims(tensors));
  RETURN_IF_ERROR(node.builder().ChargeOps(static_cast<int64_t>(tensors.size())));
  std::vector<Tensor*> all;
  for (size_t i = 0; i < tensors.size(); ++i) {
    ASSIGN_OR_RETURN(all.emplace_back(),
                     EmitExpand(node, tensors[i], dims, absl::StrCat(".expanded", i)));
  }
  return node.SetList(std::move(all));
}

// x, a list, along dimension `axis` of `dims`, repeated along the others.
Emitted EmitGrid(NodeContext& node, Tensor* x, const Dims& dims, size_t axis,
                 absl::string_view suffix) {
  Dims along(dims.size(), 1);
  along[axis] = dims[axis];
  const Emitted placed = node.Reshape(x, std::move(along), suffix);
  return node.Emit("expand", {placed}, {{"shape", dims}}, suffix);
}

// (tensors, indexing): tensor i along dimension i, repeated along the others; "xy" swaps the first
// two dimensions.
absl::Status MapMeshgrid(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> axes, node.GetTensors(0));
  const std::string* indexing = node.Has(1) ? node.argument(1).Get<std::string>() : nullptr;
  const bool swapped = indexing != nullptr && *indexing == "xy" && axes.size() >= 2;
  Dims dims;
  for (const Tensor* axis : axes) dims.push_back(axis->type.shape.elements());
  if (swapped) std::swap(dims[0], dims[1]);
  List grids;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t at = swapped && i < 2 ? 1 - i : i;
    ASSIGN_OR_RETURN(Tensor * grid, EmitGrid(node, axes[i], dims, at, absl::StrCat(".grid", i)));
    const Value& axis = (*node.argument(0).AsList())[i];
    grids.push_back(Value::Of(grid, (*axis.Get<std::shared_ptr<Variable>>())->is_uint8));
  }
  return node.SetOutput(Value::Of(std::move(grids)));
}

// Vectors of n0, n1, ... elements: a row [n0 * n1 * ..., vectors] for each choice of one of each.
absl::Status MapCartesianProd(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> vectors, node.GetTensors(0));
  if (vectors.size() == 1) return node.SetOutput(vectors[0]);
  Dims dims;
  for (const Tensor* vector : vectors) dims.push_back(vector->type.shape.elements());
  RETURN_IF_ERROR(Shape(dims).Validate());
  std::vector<Tensor*> columns;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const std::string suffix = absl::StrCat(".column", i);
    const Emitted grid = EmitGrid(node, vectors[i], dims, i, suffix);
    ASSIGN_OR_RETURN(columns.emplace_back(), EmitFlat(node, grid, suffix));
  }
  return node.SetOutput(EmitPack(node, columns, 1));
}

// --- Parts

// Parts that end before each of `ends`, and the rest, along an axis. The caller charges for them.
absl::Status SetPartsUpTo(NodeContext& node, Tensor* x, int64_t axis, const Dims& ends) {
  const int64_t extent = x->type.shape[static_cast<size_t>(axis)];
  std::vector<Tensor*> parts;
  int64_t start = 0;
  for (size_t i = 0; i <= ends.size(); ++i) {
    int64_t end = i < ends.size() ? ends[i] : extent;
    if (end < 0) end += extent;
    end = std::clamp<int64_t>(end, 0, extent);
    ASSIGN_OR_RETURN(Tensor * part,
                     EmitAxisSlice(node, x, static_cast<size_t>(axis), std::min(start, end),
                                   std::max<int64_t>(end - start, 0), absl::StrCat(".part", i)));
    parts.push_back(part);
    start = end;
  }
  return node.SetList(std::move(parts));
}

// The ends of all but the last of `sections` parts, the first of which may be larger by one.
absl::StatusOr<Dims> SectionEnds(NodeContext& node, int64_t extent, int64_t sections) {
  if (sections < 1 || sections > Shape::kMaxElements) {
    return absl::InvalidArgumentError(
        absl::StrCat("it splits into ", sections, " sections, expected 1 or more"));
  }
  RETURN_IF_ERROR(node.builder().ChargeOps(sections));
  Dims ends;
  int64_t end = 0;
  for (int64_t i = 0; i + 1 < sections; ++i) {
    end += extent / sections + (i < extent % sections ? 1 : 0);
    ends.push_back(end);
  }
  return ends;
}

// The ends of all parts but the last: argument 1, or those of as many sections as it says.
absl::StatusOr<Dims> ReadEnds(NodeContext& node, int64_t extent) {
  const bool list = node.argument(1).AsList() != nullptr;
  const Tensor* numbers = nullptr;
  if (node.argument(1).IsTensor()) {
    ASSIGN_OR_RETURN(numbers, node.GetTensor(1));
  }
  if (!list && (numbers == nullptr || numbers->type.shape.rank() == 0)) {
    ASSIGN_OR_RETURN(const int64_t sections, node.GetInt(1));
    return SectionEnds(node, extent, sections);
  }
  ASSIGN_OR_RETURN(Dims ends, list ? node.GetInts(1) : ConstantInts(*numbers, "indices"));
  RETURN_IF_ERROR(node.builder().ChargeOps(static_cast<int64_t>(ends.size())));
  return ends;
}

// tensor_split (x, sections or indices, dim); hsplit, vsplit and dsplit have a fixed dimension.
absl::Status MapTensorSplit(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  const std::string& kind = node.kind();
  int64_t axis = kind == "aten::dsplit" ? 2 : kind == "aten::hsplit" && rank > 1 ? 1 : 0;
  if (kind == "aten::tensor_split") {
    ASSIGN_OR_RETURN(axis, node.GetIntOr(2, 0));
  }
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, rank));
  ASSIGN_OR_RETURN(const Dims ends, ReadEnds(node, x->type.shape[static_cast<size_t>(axis)]));
  return SetPartsUpTo(node, x, axis, ends);
}

constexpr OpMapping kArrangementMappings[] = {
    {"aten::movedim", 3, MapMoveDim, Result::kView},
    {"aten::moveaxis", 3, MapMoveDim, Result::kView},
    {"aten::numpy_T", 1, MapReverseDims, Result::kView},
    {"aten::mT", 1, MapMatrixTranspose, Result::kView},
    {"aten::mH", 1, MapMatrixTranspose, Result::kView},
    {"aten::matrix_H", 1, MapMatrixTranspose, Result::kView},
    {"aten::adjoint", 1, MapMatrixTranspose, Result::kView},
    {"aten::rot90", 1, MapRot90, Result::kAlike},
    {"aten::fliplr", 1, MapFlipAxis, Result::kAlike},
    {"aten::flipud", 1, MapFlipAxis, Result::kAlike},
    {"aten::atleast_1d", 1, MapAtLeast<1>, Result::kView},
    {"aten::atleast_2d", 1, MapAtLeast<2>, Result::kView},
    {"aten::atleast_3d", 1, MapAtLeast<3>, Result::kView},
    {"aten::ravel", 1, MapRavel, Result::kViewOrCopy},
    {"aten::hstack", 1, MapHStack},
    {"aten::vstack", 1, MapStackAlong<2, 0>},
    {"aten::row_stack", 1, MapStackAlong<2, 0>},
    {"aten::dstack", 1, MapStackAlong<3, 2>},
    {"aten::column_stack", 1, MapColumnStack},
    {"aten::block_diag", 1, MapBlockDiag},
    {"aten::broadcast_tensors", 1, MapBroadcastTensors, Result::kView},
    {"aten::meshgrid", 1, MapMeshgrid, Result::kView},
    {"aten::cartesian_prod", 1, MapCartesianProd, Result::kView},
    {"aten::tensor_split", 2, MapTensorSplit, Result::kView},
    {"aten::hsplit", 2, MapTensorSplit, Result::kView},
    {"aten::vsplit", 2, MapTensorSplit, Result::kView},
    {"aten::dsplit", 2, MapTensorSplit, Result::kView},
};

}  // namespace

absl::Span<const OpMapping> ArrangementMappings() { return kArrangementMappings; }

}  // namespace synap_internal::torchscript_import
