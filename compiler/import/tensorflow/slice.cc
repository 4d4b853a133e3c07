// Operators that take tensors apart, put them together or pad them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/slice_ops.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

using Dims = std::vector<int64_t>;

// ConcatV2 has its axis behind the tensors, Concat before them.
absl::Status MapConcat(NodeContext& node) {
  std::vector<Tensor*> parts = node.inputs();
  const size_t at = node.op() == "Concat" ? 0 : parts.size() - 1;
  ASSIGN_OR_RETURN(int64_t axis, node.ConstantInt(at, "axis"));
  parts.erase(parts.begin() + static_cast<ptrdiff_t>(at));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, parts[0]->type.shape.rank()));
  if (parts.size() == 1) return node.SetOutput(0, parts[0]);
  return node.SetOutput(node.Emit("concat", std::move(parts), {{"axis", axis}}));
}

// How many outputs an attribute says that a node has; bounded, since each becomes
// an op.
absl::StatusOr<size_t> OutputCount(const NodeContext& node, const std::string& name) {
  const int64_t count = node.Int(name, 0);
  if (count >= 1 && count <= (1 << 12)) return static_cast<size_t>(count);
  return absl::InvalidArgumentError(absl::StrCat("its ", name, " is ", count));
}

absl::Status MapSplit(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(0, "axis"));
  ASSIGN_OR_RETURN(const size_t parts, OutputCount(node, "num_split"));
  return node.SetOutputs(EmitEqualSplit(node, node.input(1), axis, parts));
}

absl::Status MapSplitV(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims sizes, node.ConstantInts(1, "sizes"));
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(2, "axis"));
  return node.SetOutputs(EmitSplit(node, node.input(0), axis, std::move(sizes)));
}

absl::Status MapPack(NodeContext& node) {
  return node.SetOutput(EmitPack(node, node.inputs(), node.Int("axis", 0)));
}

absl::Status MapUnpack(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t count, OutputCount(node, "num"));
  return node.SetOutputs(EmitUnpack(node, node.input(0), node.Int("axis", 0), count));
}

absl::Status MapSlice(NodeContext& node) {
  ASSIGN_OR_RETURN(const Dims begin, node.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(Dims sizes, node.ConstantInts(2, "size"));
  return node.SetOutput(EmitSlice(node, node.input(0), begin, std::move(sizes)));
}

absl::Status MapStridedSlice(NodeContext& node) {
  StridedSliceEntries entries;
  ASSIGN_OR_RETURN(entries.begin, node.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(entries.end, node.ConstantInts(2, "end"));
  ASSIGN_OR_RETURN(entries.strides, node.ConstantInts(3, "strides"));
  entries.begin_mask = node.Int("begin_mask", 0);
  entries.end_mask = node.Int("end_mask", 0);
  entries.ellipsis_mask = node.Int("ellipsis_mask", 0);
  entries.new_axis_mask = node.Int("new_axis_mask", 0);
  entries.shrink_axis_mask = node.Int("shrink_axis_mask", 0);
  return node.SetOutput(EmitStridedSlice(node, node.input(0), entries));
}

absl::Status MapReverse(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims axes, node.ConstantInts(1, "axes"));
  return node.SetOutput(EmitReverse(node, node.input(0), std::move(axes)));
}

absl::Status MapGather(NodeContext& node) {
  if (node.Int("batch_dims", 0) != 0) {
    return absl::UnimplementedError(absl::StrCat("its batch_dims is ", node.Int("batch_dims", 0)));
  }
  int64_t axis = 0;
  if (node.input_count() == 3) {
    ASSIGN_OR_RETURN(axis, node.ConstantInt(2, "axis"));
  }
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, node.shape(0).rank()));
  return node.SetOutput(node.Emit("gather", {node.input(0), node.input(1)}, {{"axis", axis}}));
}

absl::StatusOr<Dims> ReadPads(const NodeContext& node) {
  ASSIGN_OR_RETURN(const Dims pairs, node.ConstantInts(1, "paddings"));
  return ResolvePads(pairs, node.shape(0).rank());
}

absl::Status MapPad(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims pads, ReadPads(node));
  float value = 0;
  if (node.input_count() == 3) {
    ASSIGN_OR_RETURN(value, node.ConstantReal(2, "value"));
  }
  return node.SetOutput(
      node.Emit("pad", {node.input(0)}, {{"pads", std::move(pads)}, {"value", value}}));
}

absl::Status MapMirrorPad(NodeContext& node) {
  const std::string mode = node.String("mode", "");
  if (mode != "REFLECT") {
    return absl::UnimplementedError(absl::StrCat("its mode is '", mode, "'"));
  }
  ASSIGN_OR_RETURN(Dims pads, ReadPads(node));
  return node.SetOutput(node.Emit("pad", {node.input(0)},
                                  {{"pads", std::move(pads)}, {"mode", std::string("reflect")}}));
}

constexpr char kConstantAxis[] = "a constant axis";
constexpr char kGatherLimits[] = "a constant axis; batch_dims of 0";
constexpr char kConstantPaddings[] = "constant paddings";

constexpr OpMapping kMappings[] = {
    {"Concat", 2, kAnyCount, MapConcat, kConstantAxis},
    {"ConcatV2", 2, kAnyCount, MapConcat, kConstantAxis},
    {"Split", 2, 2, MapSplit, kConstantAxis},
    {"SplitV", 3, 3, MapSplitV, "a constant axis and sizes"},
    {"Pack", 1, kAnyCount, MapPack},
    {"Unpack", 1, 1, MapUnpack},
    {"Slice", 3, 3, MapSlice, "a constant begin and size"},
    {"StridedSlice", 4, 4, MapStridedSlice, "a constant begin, end and strides"},
    {"ReverseV2", 2, 2, MapReverse, "constant axes"},
    {"Gather", 2, 2, MapGather, kGatherLimits},
    {"GatherV2", 3, 3, MapGather, kGatherLimits},
    {"Pad", 2, 2, MapPad, kConstantPaddings},
    {"PadV2", 3, 3, MapPad, kConstantPaddings},
    {"MirrorPad", 2, 2, MapMirrorPad, "constant paddings; the mode REFLECT"},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
