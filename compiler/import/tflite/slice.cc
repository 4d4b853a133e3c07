// Operators that take tensors apart, put them together or pad them.
#include "compiler/import/emit/slice.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

namespace family = tensorflow_family;
using tflite::BuiltinOperator;

absl::Status MapConcat(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ConcatenationOptions>());
  RETURN_IF_ERROR(CheckAllPresent(op.inputs()));
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank()));
  return op.SetOutput(op.EmitActivated("concat", op.inputs(), {{"axis", axis}},
                                       options->fused_activation_function()));
}

absl::Status MapSplit(OperatorContext& op) {
  ASSIGN_OR_RETURN(const int64_t axis, op.ConstantInt(0, "axis"));
  return op.SetOutputs(EmitEqualSplit(op, op.input(1), axis, op.output_count()));
}

absl::Status MapSplitV(OperatorContext& op) {
  const int64_t sizes = op.shape(1).elements();
  if (sizes != static_cast<int64_t>(op.output_count())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", sizes, " sizes for ", op.output_count(), " outputs, expected one for each"));
  }
  return op.SetOutputs(family::SplitV(op, op.inputs()));
}

absl::Status MapPack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::PackOptions>());
  return op.SetOutput(EmitPack(op, op.inputs(), options->axis()));
}

absl::Status MapUnpack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::UnpackOptions>());
  return op.SetOutputs(EmitUnpack(op, op.input(0), options->axis(), op.output_count()));
}

absl::Status MapStridedSlice(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::StridedSliceOptions>());
  StridedSliceEntries masks;
  masks.begin_mask = options->begin_mask();
  masks.end_mask = options->end_mask();
  masks.ellipsis_mask = options->ellipsis_mask();
  masks.new_axis_mask = options->new_axis_mask();
  masks.shrink_axis_mask = options->shrink_axis_mask();
  masks.end_is_offset = options->offset();
  return op.SetOutput(family::StridedSlice(op, op.inputs(), std::move(masks)));
}

absl::Status MapMirrorPad(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::MirrorPadOptions>());
  const bool symmetric = options->mode() == tflite::MirrorPadMode::SYMMETRIC;
  return op.SetOutput(symmetric ? family::SymmetricPad(op, op.inputs())
                                : family::MirrorPad(op, op.inputs()));
}

constexpr char kConstantPaddings[] = "constant paddings";

constexpr OpMapping kSliceMappings[] = {
    {BuiltinOperator::CONCATENATION, 1, kAnyCount, MapConcat, kFusedActivations},
    {BuiltinOperator::SPLIT, 2, 2, MapSplit, "a constant axis"},
    {BuiltinOperator::SPLIT_V, 3, 3, MapSplitV, "a constant axis and sizes"},
    {BuiltinOperator::PACK, 1, kAnyCount, MapPack},
    {BuiltinOperator::UNPACK, 1, 1, MapUnpack},
    {BuiltinOperator::SLICE, 3, 3, MapOperands<family::Slice>, "a constant begin and size"},
    {BuiltinOperator::STRIDED_SLICE, 4, 4, MapStridedSlice, "a constant begin, end and strides"},
    {BuiltinOperator::REVERSE_V2, 2, 2, MapOperands<family::Reverse>, "constant axes"},
    {BuiltinOperator::PAD, 2, 2, MapOperands<family::Pad>, kConstantPaddings},
    {BuiltinOperator::PADV2, 2, 3, MapOperands<family::Pad>, kConstantPaddings},
    {BuiltinOperator::MIRROR_PAD, 2, 2, MapMirrorPad, kConstantPaddings},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kSliceMappings; }

}  // namespace synap_internal::tflite_import
