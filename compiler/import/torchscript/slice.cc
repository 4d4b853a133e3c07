// Operators that take tensors apart, put them together or pad them.
#include "compiler/import/emit/slice.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// A tensor and a dimension of it.
struct Along {
  Tensor* x = nullptr;
  size_t axis = 0;

  int64_t extent() const { return x->type.shape[axis]; }
};

absl::StatusOr<Along> ReadAlong(const NodeContext& node, size_t axis_at) {
  Along along;
  ASSIGN_OR_RETURN(along.x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(axis_at, along.x->type.shape.rank(), 0));
  along.axis = static_cast<size_t>(axis);
  return along;
}

Emitted Slice(NodeContext& node, const Along& along, const AxisSlice& slice,
              absl::string_view suffix = "") {
  std::vector<AxisSlice> slices = WholeSlices(along.x->type.shape);
  slices[along.axis] = slice;
  return EmitSlices(node, along.x, slices, suffix);
}

// (list, start, end, step)
absl::Status SliceList(NodeContext& node, const List& list) {
  ASSIGN_OR_RETURN(const int64_t start, node.GetIntOr(1, 0));
  ASSIGN_OR_RETURN(const int64_t end, node.GetIntOr(2, std::numeric_limits<int64_t>::max()));
  ASSIGN_OR_RETURN(const int64_t step, node.GetIntOr(3, 1));
  ASSIGN_OR_RETURN(const AxisSlice slice,
                   ResolveAxisSlice(static_cast<int64_t>(list.size()), start, end, step));
  RETURN_IF_ERROR(node.builder().Charge(slice.size * static_cast<int64_t>(sizeof(Value))));
  List items;
  for (int64_t i = 0; i < slice.size; ++i) {
    items.push_back(list[static_cast<size_t>(slice.start + i * slice.step)]);
  }
  return node.SetOutput(Value::Of(std::move(items)));
}

// (x, dim, start, end, step)
absl::Status MapSlice(NodeContext& node) {
  if (const List* list = node.argument(0).AsList(); list != nullptr) return SliceList(node, *list);
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 1));
  ASSIGN_OR_RETURN(const int64_t start, node.GetIntOr(2, 0));
  ASSIGN_OR_RETURN(const int64_t end, node.GetIntOr(3, std::numeric_limits<int64_t>::max()));
  ASSIGN_OR_RETURN(const int64_t step, node.GetIntOr(4, 1));
  ASSIGN_OR_RETURN(const AxisSlice slice, ResolveAxisSlice(along.extent(), start, end, step));
  RETURN_IF_ERROR(node.SetOutput(Slice(node, along, slice)));
  node.SetRegion({static_cast<int64_t>(along.axis), slice});
  return absl::OkStatus();
}

// (x, dim, index)
absl::Status MapSelect(NodeContext& node) {
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 1));
  ASSIGN_OR_RETURN(const int64_t index, node.GetAxis(2, static_cast<size_t>(along.extent())));
  RETURN_IF_ERROR(node.SetOutput(EmitElement(node, along.x, along.axis, index)));
  node.SetRegion({static_cast<int64_t>(along.axis), {index, 1, 1}});
  return absl::OkStatus();
}

// (x, dim, start, length)
absl::Status MapNarrow(NodeContext& node) {
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 1));
  ASSIGN_OR_RETURN(int64_t start, node.GetInt(2));
  ASSIGN_OR_RETURN(const int64_t length, node.GetInt(3));
  if (start < 0) start += along.extent();
  if (start < 0 || length < 0 || start > along.extent() || length > along.extent() - start) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its slice of ", length, " elements from ", start, " on is outside of dimension ",
        along.axis, " of ", along.x->type.shape.ToString()));
  }
  RETURN_IF_ERROR(node.SetOutput(Slice(node, along, {start, length, 1})));
  node.SetRegion({static_cast<int64_t>(along.axis), {start, length, 1}});
  return absl::OkStatus();
}

// Splits into parts of `sizes`.
absl::Status SetSplit(NodeContext& node, const Along& along, Dims sizes) {
  const auto axis = static_cast<int64_t>(along.axis);
  ASSIGN_OR_RETURN(const std::vector<Tensor*> parts,
                   EmitSplit(node, along.x, axis, std::move(sizes)));
  std::vector<Region> regions;
  int64_t start = 0;
  for (const Tensor* part : parts) {
    const int64_t size = part->type.shape[along.axis];
    regions.push_back({axis, {start, size, 1}});
    start += size;
  }
  node.SetRegions(std::move(regions));
  return node.SetList(parts);
}

// Splits into parts of `size`, of which the last may be smaller.
absl::Status SetParts(NodeContext& node, const Along& along, int64_t size) {
  if (size < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it splits into parts of ", size, " elements, expected 1 or more"));
  }
  Dims sizes;
  RETURN_IF_ERROR(node.builder().ChargeOps(along.extent() / size));
  for (int64_t left = along.extent(); left > 0; left -= size) sizes.push_back(std::min(left, size));
  return SetSplit(node, along, std::move(sizes));
}

// (x, chunks, dim)
absl::Status MapChunk(NodeContext& node) {
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 2));
  ASSIGN_OR_RETURN(const int64_t chunks, node.GetInt(1));
  if (chunks < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it splits into ", chunks, " chunks, expected 1 or more"));
  }
  const int64_t rest = along.extent() % chunks != 0 ? 1 : 0;
  return SetParts(node, along, along.extent() / chunks + rest);
}

// (x, size or sizes, dim)
absl::Status MapSplit(NodeContext& node) {
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 2));
  if (node.argument(1).AsList() == nullptr) {
    ASSIGN_OR_RETURN(const int64_t size, node.GetInt(1));
    return SetParts(node, along, size);
  }
  ASSIGN_OR_RETURN(Dims sizes, node.GetInts(1));
  return SetSplit(node, along, std::move(sizes));
}

// (x, dim)
absl::Status MapUnbind(NodeContext& node) {
  ASSIGN_OR_RETURN(const Along along, ReadAlong(node, 1));
  RETURN_IF_ERROR(node.builder().ChargeOps(along.extent()));
  const auto axis = static_cast<int64_t>(along.axis);
  std::vector<Region> regions;
  for (int64_t i = 0; i < along.extent(); ++i) regions.push_back({axis, {i, 1, 1}});
  node.SetRegions(std::move(regions));
  return node.SetList(EmitUnpack(node, along.x, axis, static_cast<size_t>(along.extent())));
}

// The tensors of (tensors, dim), all as the most general of their types.
absl::StatusOr<std::vector<Tensor*>> ReadParts(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> parts, node.GetTensors(0));
  if (parts.empty())
    return absl::InvalidArgumentError("its list of tensors is empty, expected one or more");
  DataType type = parts[0]->type.dtype;
  for (const Tensor* part : parts) type = MoreGeneral(type, part->type.dtype);
  for (Tensor*& part : parts) {
    ASSIGN_OR_RETURN(part, node.Cast(part, type, ".promoted"));
  }
  return parts;
}

absl::Status MapCat(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> parts, ReadParts(node));
  // PyTorch passes over lists without elements.
  const auto empty = [](const Tensor* x) { return x->type.shape == Shape({0}); };
  if (parts.size() > 1) parts.erase(std::remove_if(parts.begin(), parts.end(), empty), parts.end());
  if (parts.empty()) {
    return absl::InvalidArgumentError("all of its tensors are empty, expected one with elements");
  }
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  return node.SetOutput(EmitConcat(node, std::move(parts), axis));
}

absl::Status MapStack(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Tensor*> parts, ReadParts(node));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetIntOr(1, 0));
  return node.SetOutput(EmitPack(node, parts, axis));
}

// Pads of x, all begins before all ends, of pairs of begin and end of which the last dimension's is
// the first. Negative pads stay.
absl::StatusOr<Dims> PadsOfPairs(const Shape& x, const Dims& pairs) {
  const size_t rank = x.rank();
  if (pairs.size() % 2 != 0 || pairs.size() > 2 * rank) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", pairs.size(), " pads for its input ",
                                                   x.ToString(), ", expected pairs for at most ",
                                                   rank, " dimensions"));
  }
  Dims pads(2 * rank, 0);
  for (size_t i = 0; i < pairs.size(); ++i) {
    RETURN_IF_ERROR(CheckPad(pairs[i]));
    const size_t axis = rank - 1 - i / 2;
    pads[i % 2 == 0 ? axis : axis + rank] = pairs[i];
  }
  return pads;
}

// The mode of op pad, or "circular": argument 2 of aten::pad, else in the operator's name.
absl::StatusOr<std::string> PadModeOf(const NodeContext& node) {
  if (absl::StrContains(node.kind(), "reflection")) return "reflect";
  if (absl::StrContains(node.kind(), "replication")) return "edge";
  if (absl::StrContains(node.kind(), "circular")) return "circular";
  if (node.kind() != "aten::pad") return "constant";
  ASSIGN_OR_RETURN(std::string mode, node.GetString(2));
  return mode == "replicate" ? "edge" : mode;
}

// (x, pads, mode, value), or (x, pads, value) without a mode
absl::Status MapPad(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims pairs, node.GetInts(1));
  ASSIGN_OR_RETURN(const std::string mode, PadModeOf(node));
  ASSIGN_OR_RETURN(const float value, node.GetRealOr(node.kind() == "aten::pad" ? 3 : 2, 0));
  ASSIGN_OR_RETURN(Dims pads, PadsOfPairs(x->type.shape, pairs));
  ASSIGN_OR_RETURN(Tensor * cropped, EmitCropped(node, x, pads));
  if (mode == "circular") return node.SetOutput(EmitWrapped(node, cropped, pads));
  Attributes attributes = {{"pads", std::move(pads)}, {"mode", mode}};
  if (mode == "constant") attributes["value"] = value;
  return node.SetOutput(node.Emit("pad", {cropped}, std::move(attributes)));
}

absl::Status MapFlip(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims axes, node.GetInts(1));
  return node.SetOutput(EmitReverse(node, x, std::move(axes)));
}

// x with its elements moved by `shift` along an axis.
Emitted EmitRolled(NodeContext& node, const Emitted& given, int64_t axis, int64_t shift) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  const auto at = static_cast<size_t>(axis);
  const int64_t extent = x->type.shape[at];
  if (extent == 0 || shift % extent == 0) return x;
  shift = (shift % extent + extent) % extent;
  const Emitted head = EmitAxisSlice(node, x, at, extent - shift, shift, ".head");
  const Emitted tail = EmitAxisSlice(node, x, at, 0, extent - shift, ".tail");
  return node.Emit("concat", {head, tail}, {{"axis", axis}});
}

// Rolls the elements of x as one list.
absl::Status SetRolledWhole(NodeContext& node, Tensor* x, const Dims& shifts) {
  if (shifts.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", shifts.size(), " shifts and no dimensions, expected one shift"));
  }
  const Emitted flat = node.Reshape(x, {x->type.shape.elements()}, ".flat");
  const Emitted rolled = EmitRolled(node, flat, 0, shifts[0]);
  return node.SetOutput(node.Reshape(rolled, x->type.shape.dims(), ".rolled"));
}

// (x, shifts, dims): elements that are shifted past the end come in at the beginning.
absl::Status MapRoll(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const Dims shifts, node.GetIntOrInts(1));
  ASSIGN_OR_RETURN(Dims axes, node.Has(2) ? node.GetInts(2) : Dims());
  if (axes.empty()) return SetRolledWhole(node, x, shifts);
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x->type.shape.rank()));
  if (axes.size() != shifts.size()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", shifts.size(), " shifts for ",
                                                   axes.size(), " dimensions, expected as many"));
  }
  Emitted y = x;
  for (size_t i = 0; i < axes.size(); ++i) y = EmitRolled(node, y, axes[i], shifts[i]);
  return node.SetOutput(y);
}

constexpr OpMapping kSliceMappings[] = {
    {"aten::slice", 1, MapSlice, Result::kView},
    {"aten::select", 3, MapSelect, Result::kView},
    {"aten::narrow", 4, MapNarrow, Result::kView},
    {"aten::slice_copy", 1, MapSlice, Result::kAlike},
    {"aten::select_copy", 3, MapSelect, Result::kAlike},
    {"aten::narrow_copy", 4, MapNarrow, Result::kAlike},
    {"aten::chunk", 2, MapChunk, Result::kView},
    {"aten::unsafe_chunk", 2, MapChunk, Result::kView},
    {"aten::split", 2, MapSplit, Result::kView},
    {"aten::split_with_sizes", 2, MapSplit, Result::kView},
    {"aten::unsafe_split", 2, MapSplit, Result::kAlike},
    {"aten::unsafe_split_with_sizes", 2, MapSplit, Result::kAlike},
    {"aten::split_copy", 2, MapSplit, Result::kAlike},
    {"aten::split_with_sizes_copy", 2, MapSplit, Result::kAlike},
    {"aten::unbind", 1, MapUnbind, Result::kView},
    {"aten::unbind_copy", 1, MapUnbind, Result::kAlike},
    {"aten::cat", 1, MapCat},
    {"aten::concat", 1, MapCat},
    {"aten::concatenate", 1, MapCat},
    {"aten::stack", 1, MapStack},
    {"aten::constant_pad_nd", 2, MapPad, Result::kAlike},
    {"aten::pad", 3, MapPad, Result::kAlike},
    {"aten::_pad_circular", 2, MapPad, Result::kAlike},
    {"aten::reflection_pad1d", 2, MapPad, Result::kAlike},
    {"aten::reflection_pad2d", 2, MapPad, Result::kAlike},
    {"aten::reflection_pad3d", 2, MapPad, Result::kAlike},
    {"aten::replication_pad1d", 2, MapPad, Result::kAlike},
    {"aten::replication_pad2d", 2, MapPad, Result::kAlike},
    {"aten::replication_pad3d", 2, MapPad, Result::kAlike},
    {"aten::flip", 2, MapFlip, Result::kAlike},
    {"aten::roll", 2, MapRoll, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kSliceMappings; }

}  // namespace synap_internal::torchscript_import
