// Operators that give the same elements another shape or order, or repeat them, and those that
// tell a tensor's shape.
#include "compiler/import/emit/shape.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapReshape(NodeContext& node) {
  const ZeroDim zero = node.Int("allowzero", 0) != 0 ? ZeroDim::kItself : ZeroDim::kCopied;
  node.IgnoreAttribute("consumed_inputs");  // of opset 1
  const bool as_attribute = node.opset() < 5 && node.HasAttribute("shape");
  if (!node.HasInput(1) && !as_attribute) {
    return absl::InvalidArgumentError(
        "it has no 'shape', expected an operand or, before opset 5, an attribute");
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> to, node.IntsOperandOrAttribute(1, "shape"));
  ASSIGN_OR_RETURN(to, ResolveReshape(node.shape(0), std::move(to), zero));
  return node.SetOutput(node.Reshape(node.input(0), std::move(to)));
}

absl::Status MapFlatten(NodeContext& node) {
  const Shape& x = node.shape(0);
  int64_t axis = node.Int("axis", 1);
  // The axis may also be the one after the last.
  if (axis != static_cast<int64_t>(x.rank())) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));
  }
  return node.SetOutput(node.Reshape(node.input(0), MatrixDims(x, axis)));
}

absl::Status MapTranspose(NodeContext& node) {
  std::vector<int64_t> reversed = AxesFrom(0, node.shape(0).rank());
  std::reverse(reversed.begin(), reversed.end());
  return node.SetOutput(node.Transpose(node.input(0), node.Ints("perm", std::move(reversed))));
}

absl::Status MapSqueeze(NodeContext& node) {
  const Shape& x = node.shape(0);
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(1, "axes"));
  if (!node.HasInput(1) && !node.HasAttribute("axes")) axes = AxesOfOne(x);
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, SqueezedDims(x, std::move(axes)));
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapUnsqueeze(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(1, "axes"));
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, UnsqueezedDims(node.shape(0), std::move(axes)));
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapExpand(NodeContext& node) {
  const Shape& x = node.shape(0);
  ASSIGN_OR_RETURN(std::vector<int64_t> to, node.ConstantInts(1, "shape"));
  if (to.size() < x.rank()) to.insert(to.begin(), x.rank() - to.size(), 1);
  for (size_t i = 0; i < x.rank(); ++i) {
    int64_t& dim = to[to.size() - x.rank() + i];
    if (dim == 1) dim = x[i];
  }
  if (to == x.dims()) return node.SetOutput(node.input(0));
  return node.SetOutput(node.Emit("expand", {node.input(0)}, {{"shape", std::move(to)}}));
}

absl::Status MapTile(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, node.ConstantInts(1, "repeats"));
  return node.SetOutput(EmitTile(node, node.input(0), repeats));
}

// All shapes are known during the import, so this is a constant whatever the operand is.
absl::Status MapShape(NodeContext& node) {
  const std::vector<int64_t>& dims = node.shape(0).dims();
  const auto rank = static_cast<int64_t>(dims.size());
  const auto clamped = [rank](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const int64_t start = clamped(node.Int("start", 0)), end = clamped(node.Int("end", rank));
  std::vector<int64_t> values;
  if (start < end) values.assign(dims.begin() + start, dims.begin() + end);
  return node.SetOutput(node.builder().AddInts(node.Name(), values));
}

absl::Status MapSize(NodeContext& node) {
  return node.SetOutput(node.builder().AddScalar(node.Name(), node.shape(0).elements()));
}

absl::StatusOr<int64_t> BlockSize(NodeContext& node) {
  const Shape& x = node.shape(0);
  const int64_t block = node.Int("blocksize", 0);
  if (x.rank() == 4 && block >= 1 && block <= 4096) return block;
  return absl::InvalidArgumentError(absl::StrCat("attribute 'blocksize' is ", block,
                                                 " for the input ", x.ToString(),
                                                 ", expected 1 or more for [N,C,H,W]"));
}

absl::Status MapDepthToSpace(NodeContext& node) {
  const Shape x = node.shape(0);
  ASSIGN_OR_RETURN(const int64_t b, BlockSize(node));
  const std::string mode = node.String("mode", "DCR");
  if ((mode != "DCR" && mode != "CRD") || x[1] % (b * b) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("attributes 'mode' ", mode, " and 'blocksize' ",
                                                   b, " don't fit its input ", x.ToString()));
  }
  const int64_t channels = x[1] / (b * b);
  const bool dcr = mode == "DCR";
  Emitted y = node.Reshape(node.input(0),
                           dcr ? std::vector<int64_t>{x[0], b, b, channels, x[2], x[3]}
                               : std::vector<int64_t>{x[0], channels, b, b, x[2], x[3]},
                           ".blocks");
  y = node.Transpose(
      y, dcr ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3},
      ".spread");
  return node.SetOutput(node.Reshape(y, {x[0], channels, x[2] * b, x[3] * b}));
}

absl::Status MapSpaceToDepth(NodeContext& node) {
  const Shape x = node.shape(0);
  ASSIGN_OR_RETURN(const int64_t b, BlockSize(node));
  if (x[2] % b != 0 || x[3] % b != 0) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'blocksize' is ", b,
                                                   ", expected a divisor of height and width of ",
                                                   x.ToString()));
  }
  Emitted y = node.Reshape(node.input(0), {x[0], x[1], x[2] / b, b, x[3] / b, b}, ".blocks");
  // Since opset 28; before, there was only DCR.
  ASSIGN_OR_RETURN(const std::string mode, node.Choice("mode", "DCR", {"DCR", "CRD"}));
  y = node.Transpose(y,
                     mode == "DCR" ? std::vector<int64_t>{0, 3, 5, 1, 2, 4}
                                   : std::vector<int64_t>{0, 1, 3, 5, 2, 4},
                     ".gathered");
  return node.SetOutput(node.Reshape(y, {x[0], x[1] * b * b, x[2] / b, x[3] / b}));
}

constexpr char kConstantShape[] = "a constant 'shape'";

constexpr OpMapping kShapeMappings[] = {
    {"Reshape", 1, 2, MapReshape, kConstantShape},
    {"Flatten", 1, 1, MapFlatten},
    {"Transpose", 1, 1, MapTranspose},
    {"Squeeze", 1, 2, MapSqueeze, kConstantAxes},
    {"Unsqueeze", 1, 2, MapUnsqueeze, kConstantAxes},
    {"Expand", 2, 2, MapExpand, kConstantShape},
    {"Tile", 2, 2, MapTile, "constant 'repeats'"},
    {"Shape", 1, 1, MapShape},
    {"Size", 1, 1, MapSize},
    {"DepthToSpace", 1, 1, MapDepthToSpace},
    {"SpaceToDepth", 1, 1, MapSpaceToDepth},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kShapeMappings; }

}  // namespace synap_internal::onnx_import
