// Operators that give the same elements another shape or order, or repeat them, and those that
// tell a tensor's shape.
#include "compiler/import/emit/shape.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/emit/constant.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

namespace family = tensorflow_family;
using Dims = std::vector<int64_t>;
using tflite::BuiltinOperator;

// The shape is the second operand or, in older files, an option.
absl::Status MapReshape(OperatorContext& op) {
  if (op.HasInput(1)) return MapOperands<family::Reshape>(op);
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReshapeOptions>());
  const auto given = Elements(options->new_shape());
  ASSIGN_OR_RETURN(Dims dims, ResolveReshape(op.shape(0), Dims(given.begin(), given.end())));
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapSqueeze(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SqueezeOptions>());
  const auto axes = Elements(options->squeeze_dims());
  return op.SetOutput(family::Squeeze(op, op.input(0), Dims(axes.begin(), axes.end())));
}

template <Emitted (*kEmit)(OpEmitter&, Tensor*, int64_t), typename Options>
absl::Status MapBlocks(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<Options>());
  return op.SetOutput(kEmit(op, op.input(0), options->block_size()));
}

// start, start + delta, ... before limit
absl::Status MapRange(OperatorContext& op) {
  return op.SetOutput(EmitRange(op, *op.input(0), *op.input(1), *op.input(2)));
}

constexpr char kConstantShape[] = "a constant shape";
constexpr char kBlockLimits[] = "a constant block shape and edges, of height and width";

constexpr OpMapping kShapeMappings[] = {
    {BuiltinOperator::RESHAPE, 1, 2, MapReshape, kConstantShape},
    {BuiltinOperator::SQUEEZE, 1, 1, MapSqueeze},
    {BuiltinOperator::EXPAND_DIMS, 2, 2, MapOperands<family::ExpandDims>, "a constant axis"},
    {BuiltinOperator::TRANSPOSE, 2, 2, MapOperands<family::Transpose>, "a constant permutation"},
    {BuiltinOperator::SHAPE, 1, 1, MapOperands<family::ShapeOf>},
    {BuiltinOperator::RANK, 1, 1, MapOperands<family::RankOf>},
    {BuiltinOperator::FILL, 2, 2, MapOperands<family::Fill>, kConstantShape},
    {BuiltinOperator::ZEROS_LIKE, 1, 1, MapOperands<family::ZerosLike>},
    {BuiltinOperator::RANGE, 3, 3, MapRange, "constant start, limit and delta"},
    {BuiltinOperator::BROADCAST_TO, 2, 2, MapOperands<family::BroadcastTo>, kConstantShape},
    {BuiltinOperator::TILE, 2, 2, MapOperands<family::Tile>, "constant multiples"},
    {BuiltinOperator::SPACE_TO_DEPTH, 1, 1,
     MapBlocks<EmitSpaceToDepth, tflite::SpaceToDepthOptions>},
    {BuiltinOperator::DEPTH_TO_SPACE, 1, 1,
     MapBlocks<EmitDepthToSpace, tflite::DepthToSpaceOptions>},
    {BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, family::MapBatchSpace<family::SpaceToBatch>,
     kBlockLimits},
    {BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, family::MapBatchSpace<family::BatchToSpace>,
     kBlockLimits},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::tflite_import
