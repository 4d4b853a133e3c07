// Operators that change or ask for shapes.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CantReshape(const Shape& from, const std::vector<int64_t>& to) {
  return absl::InvalidArgumentError(
      absl::StrCat("can't reshape ", from.ToString(), " to [", absl::StrJoin(to, ", "), "]"));
}

// Resolves 0 (as in the operand, unless allow_zero) and -1 (what is left).
absl::StatusOr<std::vector<int64_t>> ResolveShape(const Shape& from, std::vector<int64_t> to,
                                                  bool allow_zero) {
  const std::vector<int64_t> written = to;
  int64_t* rest = nullptr;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !allow_zero) {
      if (i >= from.rank()) return CantReshape(from, written);
      to[i] = from[i];
    }
    if (to[i] >= 0) continue;
    if (to[i] != -1 || rest != nullptr) return CantReshape(from, written);
    rest = &to[i];
  }
  if (rest != nullptr) {
    *rest = 1;
    const Shape others(to);
    if (!others.Validate().ok() || others.elements() == 0 ||
        from.elements() % others.elements() != 0) {
      return CantReshape(from, written);
    }
    *rest = from.elements() / others.elements();
  }
  const Shape resolved(to);
  RETURN_IF_ERROR(resolved.Validate());
  if (resolved.elements() != from.elements()) return CantReshape(from, written);
  return to;
}

absl::Status MapReshape(NodeContext& node) {
  const bool allow_zero = node.Int("allowzero", 0) != 0;
  node.IgnoreAttribute("consumed_inputs");  // of opset 1
  const bool as_attribute = node.opset() < 5 && node.HasAttribute("shape");
  if (!node.HasInput(1) && !as_attribute) {
    return absl::InvalidArgumentError("has no operand 'shape', nor, before opset 5, an attribute");
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> to, node.IntsOperandOrAttribute(1, "shape"));
  ASSIGN_OR_RETURN(to, ResolveShape(node.shape(0), std::move(to), allow_zero));
  return node.SetOutput(node.Reshape(node.input(0), std::move(to)));
}

absl::Status MapFlatten(NodeContext& node) {
  const Shape& x = node.shape(0);
  const auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = node.Int("axis", 1);
  if (axis < -rank || axis > rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is outside of its input ", x.ToString()));
  }
  if (axis < 0) axis += rank;
  const auto split = static_cast<size_t>(axis);
  return node.SetOutput(
      node.Reshape(node.input(0), {x.Product(0, split), x.Product(split, x.rank())}));
}

absl::Status MapTranspose(NodeContext& node) {
  const size_t rank = node.shape(0).rank();
  std::vector<int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return node.SetOutput(node.Transpose(node.input(0), node.Ints("perm", std::move(reversed))));
}

absl::Status MapSqueeze(NodeContext& node) {
  const Shape& x = node.shape(0);
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(1, "axes"));
  ASSIGN_OR_RETURN(axes, NodeContext::Axes(std::move(axes), x.rank()));
  const bool all = !node.HasInput(1) && !node.HasAttribute("axes");
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (listed && x[i] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("can't squeeze axis ", i, " of ", x.ToString()));
    }
    if (!listed && !(all && x[i] == 1)) dims.push_back(x[i]);
  }
  return node.SetOutput(node.Reshape(node.input(0), std::move(dims)));
}

absl::Status MapUnsqueeze(NodeContext& node) {
  const Shape& x = node.shape(0);
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(1, "axes"));
  if (axes.size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", axes.size(), " axes"));
  }
  const size_t rank = x.rank() + axes.size();
  ASSIGN_OR_RETURN(axes, NodeContext::Axes(std::move(axes), rank));
  std::sort(axes.begin(), axes.end());
  std::vector<int64_t> dims = x.dims();
  for (const int64_t axis : axes) dims.insert(dims.begin() + axis, 1);
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

// One axis at a time, as [before, 1, axis and after] -> [before, repeats, ...].
absl::Status MapTile(NodeContext& node) {
  Tensor* y = node.input(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, node.ConstantInts(1, "repeats"));
  Shape shape = node.shape(0);
  if (repeats.size() != shape.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", repeats.size(), " repeats for a tensor of rank ", shape.rank()));
  }
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] == 1) continue;
    const int64_t before = shape.Product(0, i), after = shape.Product(i, shape.rank());
    ASSIGN_OR_RETURN(y, node.Reshape(y, {before, 1, after}, ".once"));
    ASSIGN_OR_RETURN(
        y, node.Emit("expand", {y}, {{"shape", std::vector<int64_t>{before, repeats[i], after}}},
                     ".repeated"));
    // The product fits: expand's result has been checked to be a valid shape.
    shape[i] *= repeats[i];
    ASSIGN_OR_RETURN(y, node.Reshape(y, shape.dims()));
  }
  return node.SetOutput(y);
}

// All shapes are known here, so this is a constant whatever the operand is.
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
  ASSIGN_OR_RETURN(Tensor * y,
                   node.Reshape(node.input(0),
                                dcr ? std::vector<int64_t>{x[0], b, b, channels, x[2], x[3]}
                                    : std::vector<int64_t>{x[0], channels, b, b, x[2], x[3]},
                                ".blocks"));
  ASSIGN_OR_RETURN(y, node.Transpose(y,
                                     dcr ? std::vector<int64_t>{0, 3, 4, 1, 5, 2}
                                         : std::vector<int64_t>{0, 1, 4, 2, 5, 3},
                                     ".spread"));
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
  ASSIGN_OR_RETURN(Tensor * y,
                   node.Reshape(node.input(0), {x[0], x[1], x[2] / b, b, x[3] / b, b}, ".blocks"));
  ASSIGN_OR_RETURN(y, node.Transpose(y, {0, 3, 5, 1, 2, 4}, ".gathered"));
  return node.SetOutput(node.Reshape(y, {x[0], x[1] * b * b, x[2] / b, x[3] / b}));
}

constexpr char kConstantShape[] = "a constant 'shape'";
constexpr char kConstantAxes[] = "constant 'axes'";

constexpr OpMapping kMappings[] = {
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

absl::Span<const OpMapping> ShapeMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
