// Operators that resize images or rearrange their pixels.
#include "compiler/import/emit/resize.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/pooling.h"
#include "compiler/import/emit/volume.h"
#include "compiler/import/emit/window.h"
#include "compiler/import/torchscript/op_table.h"
#include "kernels/resize/resize.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// Of each spatial dimension of the output.
struct Target {
  Dims size;
  std::vector<float> scales;  // size out / size in, as coordinates are computed with
  std::vector<float> steps;   // 1 / scale, as PyTorch computes it
};

// x [N,C,...] with `dims` spatial dimensions.
absl::StatusOr<Tensor*> ReadResized(const NodeContext& node, size_t dims) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  const Shape& s = x->type.shape;
  if (s.rank() == dims + 2 && s.Product(2, s.rank()) > 0) return x;
  return absl::InvalidArgumentError(absl::StrCat("its input ", s.ToString(), " has rank ", s.rank(),
                                                 ", expected ", dims + 2,
                                                 " and spatial dimensions of 1 or more"));
}

// The target of a size or, if that is empty, of factors for each dimension; one of both may be
// empty.
absl::StatusOr<Target> TargetOf(const Shape& x, const Dims& size,
                                const std::vector<double>& factors) {
  const size_t dims = x.rank() - 2;
  if (!factors.empty() && factors.size() != dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", factors.size(), " factors for ", dims, " dimensions"));
  }
  if (size.empty() && factors.empty()) {
    return absl::InvalidArgumentError("it has neither a size nor factors");
  }
  Target target;
  for (size_t i = 0; i < dims; ++i) {
    const int64_t in = x[i + 2];
    int64_t& out = target.size.emplace_back();
    if (size.empty()) {
      ASSIGN_OR_RETURN(out, ScaledSize(in, factors[i]));
    } else {
      out = size[i];
    }
    const bool sized = factors.empty() || !(factors[i] > 0);
    target.scales.push_back(sized ? static_cast<float>(out) / static_cast<float>(in)
                                  : static_cast<float>(factors[i]));
    target.steps.push_back(sized ? static_cast<float>(in) / static_cast<float>(out)
                                 : static_cast<float>(1 / factors[i]));
  }
  RETURN_IF_ERROR(CheckWindowValues("its size", target.size, dims, 1));
  return target;
}

// Argument 1 is the size or, if it is None, the factors at `scales` say it. Some forms have the
// factors next to the size, one by one.
absl::StatusOr<Target> ReadTarget(const NodeContext& node, const Shape& x, size_t scales) {
  std::vector<double> factors;
  if (node.Has(scales) && node.argument(scales).AsList() != nullptr) {
    ASSIGN_OR_RETURN(factors, node.GetDoubles(scales));
  } else {
    for (size_t i = scales; i < node.size() && node.Has(i); ++i) {
      ASSIGN_OR_RETURN(const double factor, node.GetDouble(i));
      factors.push_back(factor);
    }
  }
  Dims size;
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(size, node.GetIntsOf(1, x.rank() - 2));
  }
  return TargetOf(x, size, factors);
}

enum class Interpolation { kNearest, kNearestExact, kLinear, kCubic };

// The words of op resize for modes "nearest".
struct NearestWords {
  std::string coordinates, rounding;
};

NearestWords WordsOf(bool exact) {
  if (exact) return {"half_pixel", "round_prefer_ceil"};
  return {"asymmetric", "floor"};
}

// The elements that modes "nearest" take along dimension i of the target, of `in`, as PyTorch
// rounds their positions: op resize takes others where a position is a whole number.
Dims NearestElementsOf(int64_t in, const Target& target, size_t i, bool exact) {
  const int64_t out = target.size[i];
  const float half = exact ? 0.5f : 0, step = target.steps[i], last = static_cast<float>(in - 1);
  Dims elements;
  for (int64_t o = 0; o < out; ++o) {
    const float position = std::floor((static_cast<float>(o) + half) * step);
    // 0 for what isn't a number, as very small factors give.
    const auto element = static_cast<int64_t>(std::min(std::max(0.0f, position), last));
    const bool doubled = !exact && out == 2 * in;
    elements.push_back(!exact && out == in ? o : doubled ? o / 2 : element);
  }
  return elements;
}

// x [N,C,...] resized by gathers where op resize takes other elements than PyTorch; nothing if it
// doesn't.
absl::StatusOr<Tensor*> EmitExactNearest(NodeContext& node, Tensor* x, const Target& target,
                                         bool exact) {
  const Shape s = x->type.shape;
  const NearestWords words = WordsOf(exact);
  std::vector<Dims> sources(2);  // batch and channels stay
  bool same = true;
  for (size_t i = 0; i < target.size.size(); ++i) {
    const int64_t in = s[i + 2], out = target.size[i];
    RETURN_IF_ERROR(node.builder().Charge(out * int64_t{2 * sizeof(int64_t)}));
    sources.push_back(NearestElementsOf(in, target, i, exact));
    same = same && target.scales[i] > 0 &&
           sources.back() ==
               NearestSources(in, out, target.scales[i], words.coordinates, words.rounding);
  }
  if (same) return nullptr;
  return EmitPicked(node, x, sources);
}

// By op resize.
Emitted EmitInterpolated(NodeContext& node, Tensor* x, const Target& target, Interpolation mode,
                         bool align_corners) {
  Attributes attributes = {{"mode", std::string("nearest")}};
  if (mode != Interpolation::kLinear) {
    const bool exact = mode == Interpolation::kNearestExact;
    ASSIGN_OR_RETURN(Tensor * picked, EmitExactNearest(node, x, target, exact));
    if (picked != nullptr) return picked;
  }
  if (mode == Interpolation::kLinear) {
    attributes["mode"] = std::string("linear");
    attributes["coordinates"] = std::string(align_corners ? "align_corners" : "half_pixel");
  } else {
    const NearestWords words = WordsOf(mode == Interpolation::kNearestExact);
    attributes["coordinates"] = words.coordinates;
    attributes["rounding"] = words.rounding;
  }
  const bool line = target.size.size() == 1;  // an image of height 1
  if (target.size.size() == 3) {
    return EmitVolumeResize(node, x, target.size, target.scales, attributes);
  }
  attributes["size"] = line ? Dims{1, target.size[0]} : target.size;
  attributes["scales"] = line ? std::vector<float>{1, target.scales[0]} : target.scales;
  return EmitImage(node, "resize", {x}, std::move(attributes));
}

// How images are resized by products with matrices.
struct Weighting {
  Interpolation mode = Interpolation::kCubic;
  bool align_corners = false;
  bool antialias = false;  // weights that reach as far as a pixel of the output, as Pillow resizes
};

// The matrix for one dimension. The corners say where the other pixels are, whatever the factor
// was. With `antialias` PyTorch takes only the factor from them, not the first pixel's place.
absl::StatusOr<AxisResize> WeightedAxis(const Weighting& weighting, int64_t in, int64_t out,
                                        float scale) {
  AxisResize axis{in, out, scale};
  if (!weighting.align_corners) return axis;
  axis.scale = static_cast<float>(out) / static_cast<float>(in);
  if (!weighting.antialias) return axis;
  if (in == 1 || out == 1) {
    return absl::UnimplementedError(absl::StrCat("it aligns the corners of ", in, " and ", out,
                                                 " pixels, expected two or more of both"));
  }
  axis.scale = static_cast<float>(out - 1) / static_cast<float>(in - 1);
  return axis;
}

Emitted EmitWeighted(NodeContext& node, Tensor* x, const Target& target,
                     const Weighting& weighting) {
  const Shape shape = x->type.shape;
  Sampling sampling;
  sampling.mode = weighting.mode == Interpolation::kCubic ? "cubic" : "linear";
  sampling.coordinates =
      weighting.align_corners && !weighting.antialias ? "align_corners" : "half_pixel";
  if (weighting.antialias) {
    sampling.antialias = sampling.exclude_outside = true;
    sampling.cubic_a = -0.5f;
  }
  Emitted y = x;
  for (size_t i = 0; i < target.size.size(); ++i) {
    ASSIGN_OR_RETURN(const AxisResize axis,
                     WeightedAxis(weighting, shape[i + 2], target.size[i], target.scales[i]));
    if (axis.in == axis.out && axis.scale == 1) continue;
    RETURN_IF_ERROR(node.ChargeValues<float>(Shape({axis.in, axis.out})));
    std::vector<uint8_t> outside;
    const std::vector<float> matrix = ResizeMatrix(sampling, axis, outside);
    y = EmitResizedAxis(node, y, i + 2, matrix, axis.out);
  }
  return y;
}

// The number before "d" in the operator's name.
size_t DimsOfKind(const std::string& kind) {
  return absl::StrContains(kind, "3d") ? 3 : absl::StrContains(kind, "2d") ? 2 : 1;
}

// (x, size, factors), linear ones (x, size, align_corners, factors)
absl::Status MapUpsample(NodeContext& node) {
  const bool linear = absl::StrContains(node.kind(), "linear");
  ASSIGN_OR_RETURN(Tensor * x, ReadResized(node, DimsOfKind(node.kind())));
  ASSIGN_OR_RETURN(const Target target, ReadTarget(node, x->type.shape, linear ? 3 : 2));
  bool align_corners = false;
  if (linear) {
    ASSIGN_OR_RETURN(align_corners, node.GetBool(2));
  }
  const Interpolation mode = linear ? Interpolation::kLinear
                             : absl::StrContains(node.kind(), "exact")
                                 ? Interpolation::kNearestExact
                                 : Interpolation::kNearest;
  return node.SetOutput(EmitInterpolated(node, x, target, mode, align_corners));
}

// (x, size, align_corners, factors), by products with matrices: "bicubic", and with "_aa" also
// "bilinear".
absl::Status MapWeighted(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, ReadResized(node, 2));
  ASSIGN_OR_RETURN(const Target target, ReadTarget(node, x->type.shape, 3));
  Weighting weighting;
  ASSIGN_OR_RETURN(weighting.align_corners, node.GetBool(2));
  weighting.antialias = absl::EndsWith(node.kind(), "_aa");
  if (absl::StrContains(node.kind(), "bilinear")) weighting.mode = Interpolation::kLinear;
  return node.SetOutput(EmitWeighted(node, x, target, weighting));
}

// Size and factors of an interpolation (x, size, factors, ...), each one number or one for each
// dimension.
absl::StatusOr<Target> ReadInterpolationTarget(const NodeContext& node, const Shape& x,
                                               bool recompute) {
  const size_t dims = x.rank() - 2;
  Dims size;
  std::vector<double> factors;
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(size, node.GetIntsOf(1, dims));
  } else if (node.Has(2) && node.argument(2).AsList() != nullptr) {
    ASSIGN_OR_RETURN(factors, node.GetDoubles(2));
  } else if (node.Has(2)) {
    ASSIGN_OR_RETURN(const double factor, node.GetDouble(2));
    factors.assign(dims, factor);
  }
  ASSIGN_OR_RETURN(Target target, TargetOf(x, size, factors));
  return recompute ? TargetOf(x, target.size, {}) : target;
}

absl::StatusOr<Interpolation> InterpolationOf(const std::string& mode, size_t dims) {
  if (mode == "nearest") return Interpolation::kNearest;
  if (mode == "nearest-exact") return Interpolation::kNearestExact;
  constexpr const char* kLinears[] = {"linear", "bilinear", "trilinear"};
  if (mode == kLinears[dims - 1]) return Interpolation::kLinear;
  if (mode == "bicubic" && dims == 2) return Interpolation::kCubic;
  return absl::UnimplementedError(
      absl::StrCat("its mode is '", mode, "' over ", dims, " dimensions"));
}

// What functional.interpolate is in a script: (x, size, factors, mode, align_corners, recompute
// the factors from the size, antialias), of which older forms have fewer.
absl::Status MapInterpolate(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* given, node.GetTensor(0));
  const size_t rank = given->type.shape.rank();
  const size_t dims = std::min<size_t>(std::max<size_t>(rank, 3) - 2, 3);
  ASSIGN_OR_RETURN(Tensor * x, ReadResized(node, dims));
  const bool bilinear = node.kind() == "aten::__upsample_bilinear";
  std::string name = bilinear ? "bilinear" : "nearest";
  if (node.Has(3)) {
    ASSIGN_OR_RETURN(name, node.GetString(3));
  }
  ASSIGN_OR_RETURN(const bool align_corners, node.GetBoolOr(4, bilinear));
  ASSIGN_OR_RETURN(const bool recompute, node.GetBoolOr(5, false));
  ASSIGN_OR_RETURN(const bool antialias, node.GetBoolOr(6, false));
  ASSIGN_OR_RETURN(const Target target, ReadInterpolationTarget(node, x->type.shape, recompute));
  if (name == "area") return node.SetOutput(EmitAdaptiveVolumeMean(node, x, target.size));
  ASSIGN_OR_RETURN(const Interpolation mode, InterpolationOf(name, dims));
  if (antialias || mode == Interpolation::kCubic) {
    return node.SetOutput(EmitWeighted(node, x, target, {mode, align_corners, antialias}));
  }
  return node.SetOutput(EmitInterpolated(node, x, target, mode, align_corners));
}

// x as [N, C, H, W], where N is all dimensions before the last three.
absl::StatusOr<Dims> AsImages(const Shape& x) {
  if (x.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", x.ToString(), ", expected three dimensions or more"));
  }
  const size_t rank = x.rank();
  return Dims{x.Product(0, rank - 3), x[rank - 3], x[rank - 2], x[rank - 1]};
}

// The dimensions of x, of which the last three are those of `image`.
Dims WithLastThree(const Shape& x, const Dims& image) {
  Dims dims(x.dims().begin(), x.dims().end() - 3);
  dims.insert(dims.end(), image.begin(), image.end());
  return dims;
}

// [..., C r r, H, W] <-> [..., C, H r, W r]
absl::Status MapPixelShuffle(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t r, node.GetInt(1));
  const Shape shape = x->type.shape;
  ASSIGN_OR_RETURN(const Dims s, AsImages(shape));
  const bool up = node.kind() == "aten::pixel_shuffle";
  const bool sane = r >= 1 && r <= (1 << 15);
  if (!sane || (up ? s[1] % (r * r) != 0 : s[2] % r != 0 || s[3] % r != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its factor ", r, " doesn't divide its input ", shape.ToString()));
  }
  if (up) {
    const int64_t channels = s[1] / (r * r);
    const Emitted blocks = node.Reshape(x, {s[0], channels, r, r, s[2], s[3]}, ".blocks");
    const Emitted moved = node.Transpose(blocks, {0, 1, 4, 2, 5, 3}, ".moved");
    return node.SetOutput(
        node.Reshape(moved, WithLastThree(shape, {channels, s[2] * r, s[3] * r})));
  }
  const Emitted blocks = node.Reshape(x, {s[0], s[1], s[2] / r, r, s[3] / r, r}, ".blocks");
  const Emitted moved = node.Transpose(blocks, {0, 1, 3, 5, 2, 4}, ".moved");
  return node.SetOutput(
      node.Reshape(moved, WithLastThree(shape, {s[1] * r * r, s[2] / r, s[3] / r})));
}

// [N, g c, ...]: channel i of each group next to each other.
absl::Status MapChannelShuffle(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(const int64_t groups, node.GetInt(1));
  const Shape s = x->type.shape;
  if (s.rank() < 3 || groups < 1 || s[1] % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its ", groups, " groups don't divide its input ", s.ToString()));
  }
  const Emitted grouped =
      node.Reshape(x, {s[0], groups, s[1] / groups, s.Product(2, s.rank())}, ".groups");
  const Emitted moved = node.Transpose(grouped, {0, 2, 1, 3}, ".moved");
  return node.SetOutput(node.Reshape(moved, s.dims()));
}

constexpr char kInterpolations[] = "the modes nearest, nearest-exact, linear, bicubic and area";
constexpr char kCorners[] = "aligned corners of two pixels or more";

constexpr OpMapping kResizeMappings[] = {
    {"aten::upsample_nearest1d", 2, MapUpsample},
    {"aten::upsample_nearest2d", 2, MapUpsample},
    {"aten::upsample_nearest3d", 2, MapUpsample},
    {"aten::_upsample_nearest_exact1d", 2, MapUpsample},
    {"aten::_upsample_nearest_exact2d", 2, MapUpsample},
    {"aten::_upsample_nearest_exact3d", 2, MapUpsample},
    {"aten::upsample_linear1d", 3, MapUpsample},
    {"aten::upsample_bilinear2d", 3, MapUpsample},
    {"aten::upsample_trilinear3d", 3, MapUpsample},
    {"aten::upsample_bicubic2d", 3, MapWeighted},
    {"aten::_upsample_bilinear2d_aa", 3, MapWeighted, kCorners},
    {"aten::_upsample_bicubic2d_aa", 3, MapWeighted, kCorners},
    {"aten::__interpolate", 3, MapInterpolate, kInterpolations},
    {"aten::__upsample", 3, MapInterpolate, kInterpolations},
    {"aten::__upsample_bilinear", 3, MapInterpolate, kImages},
    {"aten::__upsample_nearest", 3, MapInterpolate},
    {"aten::pixel_shuffle", 2, MapPixelShuffle, Result::kAlike},
    {"aten::pixel_unshuffle", 2, MapPixelShuffle, Result::kAlike},
    {"aten::channel_shuffle", 2, MapChannelShuffle, Result::kAlike},
    {"aten::native_channel_shuffle", 2, MapChannelShuffle, Result::kAlike},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kResizeMappings; }

}  // namespace synap_internal::torchscript_import
