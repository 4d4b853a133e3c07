// Operators that give the same elements another shape or order, or repeat them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/shape_ops.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status MapReshape(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims dims, node.ConstantInts(1, "shape"));
  ASSIGN_OR_RETURN(dims, ResolveReshape(node.shape(0), std::move(dims)));
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapSqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims dims, SqueezedDims(node.shape(0), node.Ints("squeeze_dims")));
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapExpandDims(NodeContext& node) {
  ASSIGN_OR_RETURN(int64_t axis, node.ConstantInt(1, "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, node.shape(0).rank() + 1));
  Dims dims = node.shape(0).dims();
  dims.insert(dims.begin() + axis, 1);
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapTranspose(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims perm, node.ConstantInts(1, "permutation"));
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), node.shape(0).rank()));
  return node.SetOutput(node.Transpose(node.input(0), std::move(perm)));
}

absl::Status MapTile(NodeContext& node) {
  ASSIGN_OR_RETURN(const Dims repeats, node.ConstantInts(1, "multiples"));
  return node.SetOutput(EmitTile(node, node.input(0), repeats));
}

absl::Status MapBroadcastTo(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims dims, node.ConstantInts(1, "shape"));
  return node.SetOutput(node.Emit("expand", {node.input(0)}, {{"shape", std::move(dims)}}));
}

absl::Status CheckNhwc(const NodeContext& node) {
  const std::string format = node.String("data_format", "NHWC");
  if (format == "NHWC") return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its data_format is ", format));
}

absl::Status MapSpaceToDepth(NodeContext& node) {
  RETURN_IF_ERROR(CheckNhwc(node));
  return node.SetOutput(EmitSpaceToDepth(node, node.input(0), node.Int("block_size", 0)));
}

absl::Status MapDepthToSpace(NodeContext& node) {
  RETURN_IF_ERROR(CheckNhwc(node));
  return node.SetOutput(EmitDepthToSpace(node, node.input(0), node.Int("block_size", 0)));
}

absl::Status MapSpaceToBatch(NodeContext& node) {
  ASSIGN_OR_RETURN(const Dims block, node.ConstantInts(1, "block shape"));
  ASSIGN_OR_RETURN(const Dims paddings, node.ConstantInts(2, "paddings"));
  return node.SetOutput(node.state().batch_space.ToBatch(node, node.input(0), block, paddings));
}

absl::Status MapBatchToSpace(NodeContext& node) {
  ASSIGN_OR_RETURN(const Dims block, node.ConstantInts(1, "block shape"));
  ASSIGN_OR_RETURN(const Dims crops, node.ConstantInts(2, "crops"));
  return node.SetOutput(node.state().batch_space.ToSpace(node, node.input(0), block, crops));
}

constexpr char kConstantShape[] = "a constant shape";
constexpr char kNhwc[] = "data_format NHWC";
constexpr char kBlockLimits[] = "a constant block shape and edges, of height and width";

constexpr OpMapping kMappings[] = {
    {"Reshape", 2, 2, MapReshape, kConstantShape},
    {"Squeeze", 1, 1, MapSqueeze},
    {"ExpandDims", 2, 2, MapExpandDims, "a constant axis"},
    {"Transpose", 2, 2, MapTranspose, "a constant permutation"},
    {"Tile", 2, 2, MapTile, "constant multiples"},
    {"BroadcastTo", 2, 2, MapBroadcastTo, kConstantShape},
    {"SpaceToDepth", 1, 1, MapSpaceToDepth, kNhwc},
    {"DepthToSpace", 1, 1, MapDepthToSpace, kNhwc},
    {"SpaceToBatchND", 3, 3, MapSpaceToBatch, kBlockLimits},
    {"BatchToSpaceND", 3, 3, MapBatchToSpace, kBlockLimits},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
