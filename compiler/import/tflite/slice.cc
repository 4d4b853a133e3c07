// Operators that take tensors apart, put them together or pad them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/slice_ops.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using Dims = std::vector<int64_t>;
using tflite::BuiltinOperator;

absl::Status CheckAllPresent(const OperatorContext& op) {
  for (const Tensor* input : op.inputs()) {
    if (input == nullptr) return absl::InvalidArgumentError("an operand is missing");
  }
  return absl::OkStatus();
}

absl::Status MapConcat(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ConcatenationOptions>());
  RETURN_IF_ERROR(CheckAllPresent(op));
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank()));
  return op.SetOutput(op.EmitActivated("concat", op.inputs(), {{"axis", axis}},
                                       options->fused_activation_function()));
}

absl::Status SetOutputs(OperatorContext& op, absl::StatusOr<std::vector<Tensor*>> parts) {
  if (!parts.ok()) return parts.status();
  for (size_t i = 0; i < parts->size(); ++i) RETURN_IF_ERROR(op.SetOutput(i, (*parts)[i]));
  return absl::OkStatus();
}

absl::Status MapSplit(OperatorContext& op) {
  ASSIGN_OR_RETURN(const int64_t axis, op.ConstantInt(0, "axis"));
  return SetOutputs(op, EmitEqualSplit(op, op.input(1), axis, op.output_count()));
}

absl::Status MapSplitV(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims sizes, op.ConstantInts(1, "sizes"));
  ASSIGN_OR_RETURN(const int64_t axis, op.ConstantInt(2, "axis"));
  if (sizes.size() != op.output_count()) {
    return absl::InvalidArgumentError(absl::StrCat("can't split ", op.shape(0).ToString(),
                                                   " into [", absl::StrJoin(sizes, ", "), "] for ",
                                                   op.output_count(), " outputs"));
  }
  return SetOutputs(op, EmitSplit(op, op.input(0), axis, std::move(sizes)));
}

absl::Status MapPack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::PackOptions>());
  RETURN_IF_ERROR(CheckAllPresent(op));
  return op.SetOutput(EmitPack(op, op.inputs(), options->axis()));
}

absl::Status MapUnpack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::UnpackOptions>());
  return SetOutputs(op, EmitUnpack(op, op.input(0), options->axis(), op.output_count()));
}

absl::Status MapSlice(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Dims begin, op.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(Dims sizes, op.ConstantInts(2, "size"));
  return op.SetOutput(EmitSlice(op, op.input(0), begin, std::move(sizes)));
}

absl::Status MapStridedSlice(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::StridedSliceOptions>());
  StridedSliceEntries entries;
  ASSIGN_OR_RETURN(entries.begin, op.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(entries.end, op.ConstantInts(2, "end"));
  ASSIGN_OR_RETURN(entries.strides, op.ConstantInts(3, "strides"));
  entries.begin_mask = options->begin_mask();
  entries.end_mask = options->end_mask();
  entries.ellipsis_mask = options->ellipsis_mask();
  entries.new_axis_mask = options->new_axis_mask();
  entries.shrink_axis_mask = options->shrink_axis_mask();
  entries.end_is_offset = options->offset();
  return op.SetOutput(EmitStridedSlice(op, op.input(0), entries));
}

absl::Status MapReverse(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims axes, op.ConstantInts(1, "axes"));
  return op.SetOutput(EmitReverse(op, op.input(0), std::move(axes)));
}

absl::Status MapGather(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::GatherOptions>());
  if (options->batch_dims() != 0) {
    return absl::UnimplementedError(absl::StrCat("its batch_dims is ", options->batch_dims()));
  }
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank()));
  return op.SetOutput(op.Emit("gather", {op.input(0), op.input(1)}, {{"axis", axis}}));
}

absl::StatusOr<Dims> ReadPads(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Dims pairs, op.ConstantInts(1, "paddings"));
  return ResolvePads(pairs, op.shape(0).rank());
}

absl::Status MapPad(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims pads, ReadPads(op));
  float value = 0;
  if (op.HasInput(2)) {
    ASSIGN_OR_RETURN(value, op.ConstantReal(2, "value"));
  }
  return op.SetOutput(op.Emit("pad", {op.input(0)}, {{"pads", std::move(pads)}, {"value", value}}));
}

absl::Status MapMirrorPad(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::MirrorPadOptions>());
  ASSIGN_OR_RETURN(Dims pads, ReadPads(op));
  if (options->mode() == tflite::MirrorPadMode::SYMMETRIC) {
    return absl::UnimplementedError("its mode is SYMMETRIC");
  }
  return op.SetOutput(
      op.Emit("pad", {op.input(0)}, {{"pads", std::move(pads)}, {"mode", std::string("reflect")}}));
}

constexpr char kConstantPaddings[] = "constant paddings";

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::CONCATENATION, 1, kAnyCount, MapConcat, kFusedActivations},
    {BuiltinOperator::SPLIT, 2, 2, MapSplit, "a constant axis"},
    {BuiltinOperator::SPLIT_V, 3, 3, MapSplitV, "a constant axis and sizes"},
    {BuiltinOperator::PACK, 1, kAnyCount, MapPack},
    {BuiltinOperator::UNPACK, 1, 1, MapUnpack},
    {BuiltinOperator::SLICE, 3, 3, MapSlice, "a constant begin and size"},
    {BuiltinOperator::STRIDED_SLICE, 4, 4, MapStridedSlice, "a constant begin, end and strides"},
    {BuiltinOperator::REVERSE_V2, 2, 2, MapReverse, "constant axes"},
    {BuiltinOperator::GATHER, 2, 2, MapGather, "batch_dims of 0"},
    {BuiltinOperator::PAD, 2, 2, MapPad, kConstantPaddings},
    {BuiltinOperator::PADV2, 2, 3, MapPad, kConstantPaddings},
    {BuiltinOperator::MIRROR_PAD, 2, 2, MapMirrorPad, "constant paddings; the mode REFLECT"},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
