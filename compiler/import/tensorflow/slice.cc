// Operators that take tensors apart, put them together or pad them.
#include "compiler/import/emit/slice.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

namespace family = tensorflow_family;

// The axis is the last operand of ConcatV2 and the first of Concat.
absl::Status MapConcat(NodeContext& node) {
  std::vector<Tensor*> parts = node.inputs();
  const size_t at = node.op() == "Concat" ? 0 : parts.size() - 1;
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(at, "axis"));
  parts.erase(parts.begin() + static_cast<ptrdiff_t>(at));
  return node.SetOutput(EmitConcat(node, std::move(parts), axis));
}

// The number of outputs that an attribute gives a node; bounded, since each becomes an op.
absl::StatusOr<size_t> OutputCount(const NodeContext& node, const std::string& name) {
  const int64_t count = node.Int(name, 0);
  if (count >= 1 && count <= (1 << 12)) return static_cast<size_t>(count);
  return absl::InvalidArgumentError(
      absl::StrCat("its ", name, " is ", count, ", expected 1 to 4096"));
}

absl::Status MapSplit(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.ConstantInt(0, "axis"));
  ASSIGN_OR_RETURN(const size_t parts, OutputCount(node, "num_split"));
  return node.SetOutputs(EmitEqualSplit(node, node.input(1), axis, parts));
}

absl::Status MapPack(NodeContext& node) {
  return node.SetOutput(EmitPack(node, node.inputs(), node.Int("axis", 0)));
}

absl::Status MapUnpack(NodeContext& node) {
  ASSIGN_OR_RETURN(const size_t count, OutputCount(node, "num"));
  return node.SetOutputs(EmitUnpack(node, node.input(0), node.Int("axis", 0), count));
}

absl::Status MapStridedSlice(NodeContext& node) {
  StridedSliceEntries masks;
  masks.begin_mask = node.Int("begin_mask", 0);
  masks.end_mask = node.Int("end_mask", 0);
  masks.ellipsis_mask = node.Int("ellipsis_mask", 0);
  masks.new_axis_mask = node.Int("new_axis_mask", 0);
  masks.shrink_axis_mask = node.Int("shrink_axis_mask", 0);
  return node.SetOutput(family::StridedSlice(node, node.inputs(), std::move(masks)));
}

absl::Status MapMirrorPad(NodeContext& node) {
  const std::string mode = node.String("mode", "");
  if (mode == "SYMMETRIC") return node.SetOutput(family::SymmetricPad(node, node.inputs()));
  if (mode != "REFLECT") {
    return absl::UnimplementedError(absl::StrCat("its mode is '", mode, "'"));
  }
  return node.SetOutput(family::MirrorPad(node, node.inputs()));
}

constexpr char kConstantPaddings[] = "constant paddings";

constexpr OpMapping kSliceMappings[] = {
    {"Concat", 2, kAnyCount, MapConcat, kConstantAxis},
    {"ConcatV2", 2, kAnyCount, MapConcat, kConstantAxis},
    {"Split", 2, 2, MapSplit, kConstantAxis},
    {"SplitV", 3, 3, MapParts<family::SplitV>, "a constant axis and sizes"},
    {"Pack", 1, kAnyCount, MapPack},
    {"Unpack", 1, 1, MapUnpack},
    {"Slice", 3, 3, MapOperands<family::Slice>, "a constant begin and size"},
    {"StridedSlice", 4, 4, MapStridedSlice, "a constant begin, end and strides"},
    {"ReverseV2", 2, 2, MapOperands<family::Reverse>, "constant axes"},
    {"Pad", 2, 2, MapOperands<family::Pad>, kConstantPaddings},
    {"PadV2", 3, 3, MapOperands<family::Pad>, kConstantPaddings},
    {"MirrorPad", 2, 2, MapMirrorPad, kConstantPaddings},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kSliceMappings; }

}  // namespace synap_internal::tensorflow_import
