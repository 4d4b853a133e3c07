// Operators that give the same elements another shape or order, or repeat them.
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/shape_ops.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

using Dims = std::vector<int64_t>;

// The wanted shape, from the second operand or from the options.
absl::StatusOr<Dims> WantedShape(OperatorContext& op) {
  if (op.HasInput(1)) return op.ConstantInts(1, "shape");
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReshapeOptions>());
  const auto dims = Elements(options->new_shape());
  return Dims(dims.begin(), dims.end());
}

absl::Status MapReshape(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, WantedShape(op));
  ASSIGN_OR_RETURN(dims, ResolveReshape(op.shape(0), std::move(dims)));
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapSqueeze(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SqueezeOptions>());
  const auto axes = Elements(options->squeeze_dims());
  ASSIGN_OR_RETURN(Dims dims, SqueezedDims(op.shape(0), Dims(axes.begin(), axes.end())));
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapExpandDims(OperatorContext& op) {
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(int64_t axis, op.ConstantInt(1, "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank() + 1));
  Dims dims = x.dims();
  dims.insert(dims.begin() + axis, 1);
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapTranspose(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims perm, op.ConstantInts(1, "permutation"));
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), op.shape(0).rank()));
  return op.SetOutput(op.Transpose(op.input(0), std::move(perm)));
}

// All shapes are known.
absl::Status MapShape(OperatorContext& op) {
  return op.SetOutput(op.builder().AddInts(op.Name(), op.shape(0).dims()));
}

absl::Status MapRank(OperatorContext& op) {
  const auto rank = static_cast<int64_t>(op.shape(0).rank());
  return op.SetOutput(op.builder().AddScalar(op.Name(), rank));
}

absl::Status MapFill(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, op.ConstantInts(0, "shape"));
  return op.SetOutput(op.Emit("expand", {op.input(1)}, {{"shape", std::move(dims)}}));
}

absl::Status MapBroadcastTo(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, op.ConstantInts(1, "shape"));
  return op.SetOutput(op.Emit("expand", {op.input(0)}, {{"shape", std::move(dims)}}));
}

absl::Status MapTile(OperatorContext& op) {
  ASSIGN_OR_RETURN(const Dims repeats, op.ConstantInts(1, "multiples"));
  return op.SetOutput(EmitTile(op, op.input(0), repeats));
}

absl::Status MapSpaceToDepth(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SpaceToDepthOptions>());
  return op.SetOutput(EmitSpaceToDepth(op, op.input(0), options->block_size()));
}

absl::Status MapDepthToSpace(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::DepthToSpaceOptions>());
  return op.SetOutput(EmitDepthToSpace(op, op.input(0), options->block_size()));
}

constexpr char kConstantShape[] = "a constant shape";

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::RESHAPE, 1, 2, MapReshape, kConstantShape},
    {tflite::BuiltinOperator::SQUEEZE, 1, 1, MapSqueeze},
    {tflite::BuiltinOperator::EXPAND_DIMS, 2, 2, MapExpandDims, "a constant axis"},
    {tflite::BuiltinOperator::TRANSPOSE, 2, 2, MapTranspose, "a constant permutation"},
    {tflite::BuiltinOperator::SHAPE, 1, 1, MapShape},
    {tflite::BuiltinOperator::RANK, 1, 1, MapRank},
    {tflite::BuiltinOperator::FILL, 2, 2, MapFill, kConstantShape},
    {tflite::BuiltinOperator::BROADCAST_TO, 2, 2, MapBroadcastTo, kConstantShape},
    {tflite::BuiltinOperator::TILE, 2, 2, MapTile, "constant multiples"},
    {tflite::BuiltinOperator::SPACE_TO_DEPTH, 1, 1, MapSpaceToDepth},
    {tflite::BuiltinOperator::DEPTH_TO_SPACE, 1, 1, MapDepthToSpace},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
