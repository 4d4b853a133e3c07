// Operators that give the same elements another shape or order, or repeat them, and those that
// tell a tensor's shape.
#include "compiler/import/emit/shape.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

namespace family = tensorflow_family;

absl::Status MapSqueeze(NodeContext& node) {
  return node.SetOutput(family::Squeeze(node, node.input(0), node.Ints("squeeze_dims")));
}

absl::Status MapSize(NodeContext& node) {
  return node.SetOutput(node.builder().AddScalar(node.Name(), node.shape(0).elements()));
}

template <Emitted (*kEmit)(OpEmitter&, Tensor*, int64_t)>
absl::Status MapBlocks(NodeContext& node) {
  const std::string format = node.String("data_format", "NHWC");
  if (format != "NHWC") {
    return absl::UnimplementedError(absl::StrCat("its data_format is ", format));
  }
  return node.SetOutput(kEmit(node, node.input(0), node.Int("block_size", 0)));
}

constexpr char kConstantShape[] = "a constant shape";
constexpr char kNhwc[] = "data_format NHWC";
constexpr char kBlockLimits[] = "a constant block shape and edges, of height and width";

constexpr OpMapping kShapeMappings[] = {
    {"Reshape", 2, 2, MapOperands<family::Reshape>, kConstantShape},
    {"Squeeze", 1, 1, MapSqueeze},
    {"ExpandDims", 2, 2, MapOperands<family::ExpandDims>, "a constant axis"},
    {"Transpose", 2, 2, MapOperands<family::Transpose>, "a constant permutation"},
    {"Tile", 2, 2, MapOperands<family::Tile>, "constant multiples"},
    {"Fill", 2, 2, MapOperands<family::Fill>, kConstantShape},
    {"BroadcastTo", 2, 2, MapOperands<family::BroadcastTo>, kConstantShape},
    {"Shape", 1, 1, MapOperands<family::ShapeOf>},
    {"Rank", 1, 1, MapOperands<family::RankOf>},
    {"Size", 1, 1, MapSize},
    {"SpaceToDepth", 1, 1, MapBlocks<EmitSpaceToDepth>, kNhwc},
    {"DepthToSpace", 1, 1, MapBlocks<EmitDepthToSpace>, kNhwc},
    {"SpaceToBatchND", 3, 3, family::MapBatchSpace<family::SpaceToBatch>, kBlockLimits},
    {"BatchToSpaceND", 3, 3, family::MapBatchSpace<family::BatchToSpace>, kBlockLimits},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::tensorflow_import
