// Operators that resize images or rearrange their pixels.
#include "compiler/import/emit/resize.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

struct Target {
  Dims size;                  // height, width
  std::vector<float> scales;  // size out / size in, as coordinates are computed with
};

// Argument 1 is the size or, if it is None, the factors at `scales` say it. Some forms have the
// factors next to the size, one by one. `x`: [N,C,H,W] or, of one dimension, [N,C,L].
absl::StatusOr<Target> ReadTarget(const NodeContext& node, const Shape& x, size_t dims,
                                  size_t scales) {
  Target target;
  std::vector<double> factors;
  if (node.Has(scales) && node.argument(scales).AsList() != nullptr) {
    ASSIGN_OR_RETURN(factors, node.GetDoubles(scales));
  } else {
    for (size_t i = scales; i < node.size() && node.Has(i); ++i) {
      ASSIGN_OR_RETURN(const double factor, node.GetDouble(i));
      factors.push_back(factor);
    }
  }
  if (!factors.empty() && factors.size() != dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", factors.size(), " factors for ", dims, " dimensions"));
  }
  Dims size;
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(size, node.GetIntsOf(1, dims));
  } else if (factors.empty()) {
    return absl::InvalidArgumentError("it has neither a size nor factors");
  }
  const size_t first = 2 - dims;  // of the image's height and width
  target.size = {1, 1};
  target.scales = {1, 1};
  for (size_t i = 0; i < dims; ++i) {
    const size_t at = first + i;
    const int64_t in = x[i + 2];
    if (size.empty()) {
      ASSIGN_OR_RETURN(target.size[at], ScaledSize(in, factors[i]));
    } else {
      target.size[at] = size[i];
    }
    target.scales[at] = factors.empty()
                            ? static_cast<float>(target.size[at]) / static_cast<float>(in)
                            : static_cast<float>(factors[i]);
  }
  return target;
}

absl::Status MapUpsample(NodeContext& node) {
  const bool linear = absl::StrContains(node.kind(), "linear");
  const size_t dims = absl::StrContains(node.kind(), "2d") ? 2 : 1;
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const size_t rank = x->type.shape.rank();
  if (rank != dims + 2) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", x->type.shape.ToString(),
                                                   " has rank ", rank, ", expected ", dims + 2));
  }
  ASSIGN_OR_RETURN(const Target target, ReadTarget(node, x->type.shape, dims, linear ? 3 : 2));
  Attributes attributes = {{"size", target.size}, {"scales", target.scales}};
  if (linear) {
    ASSIGN_OR_RETURN(const bool align_corners, node.GetBool(2));
    attributes["mode"] = std::string("linear");
    attributes["coordinates"] = std::string(align_corners ? "align_corners" : "half_pixel");
  } else {
    attributes["mode"] = std::string("nearest");
    attributes["coordinates"] = std::string("asymmetric");
    attributes["rounding"] = std::string("floor");
  }
  return node.SetOutput(EmitImage(node, "resize", {x}, std::move(attributes)));
}

// (x, size, align_corners, factors), by products with matrices: "bicubic", and with "_aa" also
// "bilinear", whose weights reach as far as a pixel of the output.
absl::Status MapWeighted(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape shape = x->type.shape;
  if (shape.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected four dimensions"));
  }
  ASSIGN_OR_RETURN(const Target target, ReadTarget(node, shape, 2, 3));
  ASSIGN_OR_RETURN(const bool align_corners, node.GetBool(2));
  Sampling sampling;
  sampling.mode = absl::StrContains(node.kind(), "bicubic") ? "cubic" : "linear";
  sampling.coordinates = align_corners ? "align_corners" : "half_pixel";
  if (absl::EndsWith(node.kind(), "_aa")) {
    if (align_corners) return absl::UnimplementedError("it aligns corners");
    // As Pillow resizes.
    sampling.antialias = sampling.exclude_outside = true;
    sampling.cubic_a = -0.5f;
  }
  Emitted y = x;
  for (size_t i = 0; i < 2; ++i) {
    AxisResize axis{shape[i + 2], target.size[i], target.scales[i]};
    // The corners say where the others are, whatever the factor was.
    if (align_corners) axis.scale = static_cast<float>(axis.out) / static_cast<float>(axis.in);
    if (axis.in == axis.out && axis.scale == 1) continue;
    RETURN_IF_ERROR(Shape({axis.in, axis.out}).Validate());
    RETURN_IF_ERROR(node.builder().Charge(axis.in * axis.out * int64_t{sizeof(float)}));
    std::vector<uint8_t> outside;
    const std::vector<float> matrix = ResizeMatrix(sampling, axis, outside);
    y = ResizeAxis(node, y, i + 2, matrix, axis.out);
  }
  return node.SetOutput(y);
}

// (x, grid [N,H,W,2], mode, padding, align_corners)
absl::Status MapGridSample(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Emitted grid = node.GetTensor(1);
  ASSIGN_OR_RETURN(const int64_t mode, node.GetInt(2));
  ASSIGN_OR_RETURN(const int64_t padding, node.GetInt(3));
  ASSIGN_OR_RETURN(const bool align_corners, node.GetBoolOr(4, false));
  constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its mode is ", mode, " and its padding ", padding, ", expected 0 to 2"));
  }
  const Shape& shape = x->type.shape;
  if (shape.rank() != 4) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", shape.ToString(), ", expected four dimensions"));
  }
  return node.SetOutput(
      EmitGridSample(node, x, grid, {kModes[mode], kPaddings[padding], align_corners}));
}

// [..., C r r, H, W] <-> [..., C, H r, W r]
absl::Status MapPixelShuffle(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t r, node.GetInt(1));
  const Shape s = x->type.shape;
  const bool up = node.kind() == "aten::pixel_shuffle";
  const bool sane = s.rank() == 4 && r >= 1 && r <= (1 << 15);
  if (!sane || (up ? s[1] % (r * r) != 0 : s[2] % r != 0 || s[3] % r != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its factor ", r, " doesn't divide its input ", s.ToString()));
  }
  if (up) {
    const int64_t channels = s[1] / (r * r);
    const Emitted blocks = node.Reshape(x, {s[0], channels, r, r, s[2], s[3]}, ".blocks");
    const Emitted moved = node.Transpose(blocks, {0, 1, 4, 2, 5, 3}, ".moved");
    return node.SetOutput(node.Reshape(moved, {s[0], channels, s[2] * r, s[3] * r}));
  }
  const Emitted blocks = node.Reshape(x, {s[0], s[1], s[2] / r, r, s[3] / r, r}, ".blocks");
  const Emitted moved = node.Transpose(blocks, {0, 1, 3, 5, 2, 4}, ".moved");
  return node.SetOutput(node.Reshape(moved, {s[0], s[1] * r * r, s[2] / r, s[3] / r}));
}

// [N, g c, H, W]: channel i of each group next to each other.
absl::Status MapChannelShuffle(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t groups, node.GetInt(1));
  const Shape s = x->type.shape;
  if (s.rank() != 4 || groups < 1 || s[1] % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its ", groups, " groups don't divide its input ", s.ToString()));
  }
  const Emitted grouped = node.Reshape(x, {s[0], groups, s[1] / groups, s[2], s[3]}, ".groups");
  const Emitted moved = node.Transpose(grouped, {0, 2, 1, 3, 4}, ".moved");
  return node.SetOutput(node.Reshape(moved, s.dims()));
}

constexpr char kCenters[] = "corners that aren't aligned";

constexpr OpMapping kResizeMappings[] = {
    {"aten::upsample_nearest1d", 2, MapUpsample},
    {"aten::upsample_nearest2d", 2, MapUpsample},
    {"aten::upsample_linear1d", 3, MapUpsample},
    {"aten::upsample_bilinear2d", 3, MapUpsample},
    {"aten::upsample_bicubic2d", 3, MapWeighted},
    {"aten::_upsample_bilinear2d_aa", 3, MapWeighted, kCenters},
    {"aten::_upsample_bicubic2d_aa", 3, MapWeighted, kCenters},
    {"aten::grid_sampler", 4, MapGridSample, kImages},
    {"aten::grid_sampler_2d", 4, MapGridSample, kImages},
    {"aten::pixel_shuffle", 2, MapPixelShuffle, Result::kAlike},
    {"aten::pixel_unshuffle", 2, MapPixelShuffle, Result::kAlike},
    {"aten::channel_shuffle", 2, MapChannelShuffle, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kResizeMappings; }

}  // namespace synap_internal::torchscript_import
