// Resize, its predecessor Upsample, and GridSample.
#include "compiler/import/emit/resize.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/sampling.h"
#include "compiler/import/onnx/op_table.h"
#include "kernels/resize/resize.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CheckOneOf(absl::string_view attribute, const std::string& value,
                        std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("attribute '", attribute, "' is '", value,
                                                 "', expected one of ",
                                                 absl::StrJoin(known, ", ")));
}

// Sizes and factors of all dimensions.
struct ResizeTarget {
  std::vector<int64_t> sizes;
  std::vector<float> scales;  // size out / size in, as the coordinates are computed with
};

absl::StatusOr<ResizeTarget> FromScales(const Shape& x, std::vector<float> scales) {
  ResizeTarget target;
  if (scales.size() != x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", scales.size(), " scales for its input ", x.ToString(), ", expected ", x.rank()));
  }
  for (size_t i = 0; i < x.rank(); ++i) {
    // In float32, as runtimes do: 10 elements times 0.7f are 7.
    const float size = static_cast<float>(x[i]) * scales[i];
    ASSIGN_OR_RETURN(target.sizes.emplace_back(), ScaledSize(1, static_cast<double>(size)));
  }
  target.scales = std::move(scales);
  return target;
}

absl::StatusOr<ResizeTarget> FromSizes(const Shape& x, std::vector<int64_t> sizes) {
  ResizeTarget target;
  for (size_t i = 0; i < std::min(sizes.size(), x.rank()); ++i) {
    target.scales.push_back(static_cast<float>(sizes[i]) / static_cast<float>(x[i]));
    if (sizes[i] < 1 || x[i] < 1) sizes.clear();
  }
  if (sizes.size() != x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't resize ", x.ToString(), " to [", absl::StrJoin(sizes, ", "), "]"));
  }
  target.sizes = std::move(sizes);
  return target;
}

// Sizes of the same factor along all of `axes`: the smallest that `sizes` asks for, or with
// `not_smaller` the largest.
absl::StatusOr<ResizeTarget> FromAspectRatio(const Shape& x, const std::vector<int64_t>& sizes,
                                             const std::vector<int64_t>& axes, bool not_smaller) {
  ASSIGN_OR_RETURN(ResizeTarget target, FromSizes(x, sizes));
  std::vector<double> factors;
  for (const int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    factors.push_back(static_cast<double>(sizes[i]) / static_cast<double>(x[i]));
  }
  if (factors.empty()) return target;
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  const double factor = not_smaller ? *most : *least;
  for (const int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    // Half an element counts as one.
    const double size = std::floor(factor * static_cast<double>(x[i]) + 0.5);
    ASSIGN_OR_RETURN(target.sizes[i], ScaledSize(1, size));
    target.scales[i] = static_cast<float>(factor);
  }
  return target;
}

// Values of all dimensions: `values` for those in the attribute 'axes', or without it for all, and
// `others` for the rest.
template <typename T>
absl::StatusOr<std::vector<T>> OverAxes(NodeContext& node, std::vector<T> values,
                                        std::vector<T> others) {
  if (!node.HasAttribute("axes")) return values;
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, ResolveAxes(node.Ints("axes"), others.size()));
  if (axes.size() != values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", axes.size(), " axes and ", values.size(), " sizes or scales"));
  }
  for (size_t i = 0; i < axes.size(); ++i) others[static_cast<size_t>(axes[i])] = values[i];
  return others;
}

absl::StatusOr<ResizeTarget> ReadResizeTarget(NodeContext& node) {
  const Shape& x = node.shape(0);
  const bool upsample = node.node().op_type() == "Upsample";
  if (upsample && node.opset() < 9) return FromScales(x, node.Floats("scales"));
  // Before opset 11 there was no region of interest, and there were no sizes.
  const size_t at = upsample || node.opset() < 11 ? 1 : 2;
  if (node.HasInput(at) && node.shape(at).elements() > 0) {
    ASSIGN_OR_RETURN(std::vector<float> scales, node.ConstantFloats(at, "scales"));
    ASSIGN_OR_RETURN(scales, OverAxes(node, std::move(scales), std::vector<float>(x.rank(), 1.0f)));
    return FromScales(x, std::move(scales));
  }
  if (!node.HasInput(3)) return absl::InvalidArgumentError("it has neither scales nor sizes");
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes, node.ConstantInts(3, "sizes"));
  ASSIGN_OR_RETURN(sizes, OverAxes(node, std::move(sizes), x.dims()));
  const std::string policy = node.String("keep_aspect_ratio_policy", "stretch");
  RETURN_IF_ERROR(
      CheckOneOf("keep_aspect_ratio_policy", policy, {"stretch", "not_larger", "not_smaller"}));
  if (policy == "stretch") return FromSizes(x, std::move(sizes));
  std::vector<int64_t> axes = AxesFrom(0, x.rank());
  if (node.HasAttribute("axes")) {
    ASSIGN_OR_RETURN(axes, ResolveAxes(node.Ints("axes"), x.rank()));
  }
  return FromAspectRatio(x, sizes, axes, policy == "not_smaller");
}

// Whether no size had to be rounded down.
bool AreSizesWhole(const Shape& x, const ResizeTarget& target) {
  for (size_t i = 0; i < target.sizes.size(); ++i) {
    if (!GivesSize(x[i], target.scales[i], target.sizes[i])) return false;
  }
  return true;
}

// Aligned corners have two readings where a scale gives no whole size: the output's last element is
// the input's (PyTorch, ONNX Runtime), or lies before it by what was rounded off the size (the
// reference of ONNX's standard). The first is taken for files of PyTorch's exporters, of tools that
// rewrite the files of others (onnx.quantize) and without the name of a writer.
absl::Status ChooseCorners(NodeContext& node, ResizeTarget& target) {
  const Shape x = node.shape(0);
  if (AreSizesWhole(x, target)) return absl::OkStatus();
  const std::string& producer = node.state().producer;
  const bool is_torch = absl::StartsWith(producer, "pytorch");
  const bool by_output = is_torch || producer.empty() || absl::StartsWith(producer, "onnx.");
  if (!is_torch) {
    node.Warn(absl::StrCat("its scales give no whole sizes for ", x.ToString(),
                           ", where align_corners has two "
                           "readings; taken is that of ",
                           by_output ? "PyTorch: the output's corners are the input's"
                                     : "ONNX's reference: only the first corner stays",
                           "; export it with sizes in place of scales to leave no doubt"));
  }
  if (!by_output) return absl::OkStatus();
  ASSIGN_OR_RETURN(target, FromSizes(x, std::move(target.sizes)));
  return absl::OkStatus();
}

absl::StatusOr<Sampling> ReadSampling(NodeContext& node, const ResizeTarget& target) {
  node.IgnoreAttribute("keep_aspect_ratio_policy");  // of sizes, not of scales
  Sampling sampling;
  sampling.antialias = node.Int("antialias", 0) != 0;
  sampling.mode = node.String("mode", "nearest");
  if (sampling.mode == "bilinear") sampling.mode = "linear";  // of opset 1
  sampling.cubic_a = node.Float("cubic_coeff_a", -0.75f);
  sampling.exclude_outside = node.Int("exclude_outside", 0) != 0;
  if (node.node().op_type() == "Resize" && node.opset() >= 11) {
    sampling.coordinates = node.String("coordinate_transformation_mode", "half_pixel");
    sampling.rounding = node.String("nearest_mode", "round_prefer_floor");
  } else {
    sampling.coordinates = "asymmetric";
    const bool shrinks = std::any_of(target.scales.begin(), target.scales.end(),
                                     [](float scale) { return scale < 1; });
    // The old operators leave the rounding open; this is what runtimes agree on.
    sampling.rounding = shrinks ? "ceil" : "floor";
  }
  RETURN_IF_ERROR(CheckOneOf("mode", sampling.mode, {"nearest", "linear", "cubic"}));
  if (sampling.mode == "nearest") sampling.antialias = false;
  RETURN_IF_ERROR(CheckOneOf("nearest_mode", sampling.rounding,
                             {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  RETURN_IF_ERROR(
      CheckOneOf("coordinate_transformation_mode", sampling.coordinates,
                 {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                  "half_pixel_symmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}));
  return sampling;
}

// Attributes of the op "resize", or nothing if it has no such sampling.
std::optional<Attributes> OpAttributes(const Shape& x, const Sampling& sampling,
                                       const ResizeTarget& target) {
  const bool exact = AreSizesWhole(x, target);
  std::string coordinates = sampling.coordinates;
  if (coordinates == "half_pixel_symmetric" && exact) coordinates = "half_pixel";
  const bool known = coordinates == "half_pixel" || coordinates == "asymmetric" ||
                     coordinates == "pytorch_half_pixel" ||
                     (coordinates == "align_corners" && exact);
  const bool shrinks = std::any_of(target.scales.begin(), target.scales.end(),
                                   [](float scale) { return scale < 1; });
  if (sampling.antialias && shrinks) return std::nullopt;
  if (sampling.mode == "cubic" || sampling.exclude_outside || !known) return std::nullopt;
  Attributes attributes = {{"mode", sampling.mode}, {"coordinates", coordinates}};
  if (sampling.mode == "nearest") attributes["rounding"] = sampling.rounding;
  return attributes;
}

// Whether only dimensions [begin, end) are resized.
bool ResizesOnly(const Shape& x, const ResizeTarget& target, size_t begin, size_t end) {
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool changes = target.sizes[i] != x[i] || target.scales[i] != 1;
    if (changes && (i < begin || i >= end)) return false;
  }
  return true;
}

// Operand 'roi': all begins, then all ends, as fractions of the dimensions, or of those in the
// attribute 'axes'. All of the others stay.
absl::StatusOr<std::vector<float>> ReadRegion(NodeContext& node, size_t rank) {
  std::vector<float> region(2 * rank, 0);
  std::fill(region.begin() + static_cast<ptrdiff_t>(rank), region.end(), 1.0f);
  if (!node.HasInput(1) || node.shape(1).elements() == 0) return region;
  ASSIGN_OR_RETURN(const std::vector<float> given, node.ConstantFloats(1, "roi"));
  // Positions of larger ones would overflow.
  const bool sane = std::all_of(given.begin(), given.end(),
                                [](float part) { return part >= -1e6f && part <= 1e6f; });
  if (!sane) return absl::InvalidArgumentError("its 'roi' has values outside of -1e6 to 1e6");
  std::vector<int64_t> axes = AxesFrom(0, rank);
  if (node.HasAttribute("axes")) {
    ASSIGN_OR_RETURN(axes, ResolveAxes(node.Ints("axes"), rank));
  }
  if (given.size() != 2 * axes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its 'roi' has ", given.size(), " elements, expected ", 2 * axes.size()));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    region[axis] = given[i];
    region[axis + rank] = given[i + axes.size()];
  }
  return region;
}

// Any mode along any dimensions, as products with matrices.
absl::Status MapByMatrices(NodeContext& node, const Sampling& sampling,
                           const ResizeTarget& target) {
  Emitted y = node.input(0);
  const Shape x = node.shape(0);
  const bool crops = sampling.coordinates == "tf_crop_and_resize";
  std::vector<float> region(2 * x.rank(), 0);
  if (crops) {
    ASSIGN_OR_RETURN(region, ReadRegion(node, x.rank()));
  }
  Tensor* outside = nullptr;  // bool, broadcast to y
  for (size_t i = 0; i < x.rank(); ++i) {
    const AxisResize axis{x[i], target.sizes[i], target.scales[i], region[i], region[i + x.rank()]};
    const bool whole = !crops || (axis.roi_begin == 0 && axis.roi_end == 1);
    if (axis.in == axis.out && axis.scale == 1 && whole) continue;
    RETURN_IF_ERROR(node.ChargeValues<float>(Shape({axis.in, axis.out})));
    std::vector<uint8_t> axis_outside;
    const std::vector<float> matrix = ResizeMatrix(sampling, axis, axis_outside);
    y = EmitResizedAxis(node, y, i, matrix, axis.out);
    if (std::find(axis_outside.begin(), axis_outside.end(), 1) == axis_outside.end()) continue;
    std::vector<int64_t> dims(x.rank() - i, 1);
    dims[0] = axis.out;
    Tensor* mask = node.Bools(Shape(std::move(dims)), std::move(axis_outside), ".outside");
    if (outside != nullptr) {
      ASSIGN_OR_RETURN(mask, node.Emit("where", {outside, outside, mask}, {}, ".outside"));
    }
    outside = mask;
  }
  const float extrapolation = node.Float("extrapolation_value", 0);
  if (outside == nullptr) return node.SetOutput(y);
  Tensor* value = node.Scalar(extrapolation, ".extrapolation");
  return node.SetOutput(node.Emit("where", {outside, value, y}));
}

// Whether the elements of mode "nearest" are known exactly: those of factors that are the quotients
// of the sizes.
bool HasExactElements(const Shape& x, const Sampling& sampling, const ResizeTarget& target) {
  if (sampling.mode != "nearest" || sampling.coordinates == "tf_crop_and_resize") return false;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (std::max(x[i], target.sizes[i]) > kMaxNearestSize) return false;
  }
  return AreSizesWhole(x, target);
}

// The input elements of mode "nearest".
struct ExactElements {
  std::vector<std::vector<int64_t>> along;  // each dimension; of one that isn't resized none
  bool op_has_them = true;                  // op resize has the same ones
};

absl::StatusOr<ExactElements> FindExactElements(NodeContext& node, const Sampling& sampling,
                                                const ResizeTarget& target) {
  const Shape x = node.shape(0);
  ExactElements elements;
  elements.along.resize(x.rank());
  for (size_t i = 0; i < x.rank(); ++i) {
    const AxisResize axis{x[i], target.sizes[i], target.scales[i]};
    if (axis.in == axis.out) continue;
    RETURN_IF_ERROR(node.builder().Charge(axis.out * int64_t{2 * sizeof(int64_t)}));
    elements.along[i] = NearestElements(sampling, axis);
    elements.op_has_them &=
        elements.along[i] ==
        NearestSources(axis.in, axis.out, axis.scale, sampling.coordinates, sampling.rounding);
  }
  return elements;
}

absl::Status MapResize(NodeContext& node) {
  node.IgnoreAttribute("extrapolation_value");  // of a mode that reads it
  const Shape x_shape = node.shape(0);
  const size_t rank = x_shape.rank();
  ASSIGN_OR_RETURN(ResizeTarget target, ReadResizeTarget(node));
  ASSIGN_OR_RETURN(const Sampling sampling, ReadSampling(node, target));
  if (sampling.coordinates == "align_corners") RETURN_IF_ERROR(ChooseCorners(node, target));
  const bool crops = sampling.coordinates == "tf_crop_and_resize";
  if (!crops && ResizesOnly(x_shape, target, 0, 0)) return node.SetOutput(node.input(0));
  std::optional<Attributes> attributes = OpAttributes(x_shape, sampling, target);
  // Some exporters leave images as [N,H,W,C].
  const bool nhwc =
      rank == 4 && !ResizesOnly(x_shape, target, 2, 4) && ResizesOnly(x_shape, target, 1, 3);
  const bool images = (rank == 3 || rank == 4) && ResizesOnly(x_shape, target, 2, rank);
  const bool by_op = attributes.has_value() && (nhwc || images);
  if (HasExactElements(x_shape, sampling, target)) {
    ASSIGN_OR_RETURN(const ExactElements elements, FindExactElements(node, sampling, target));
    if (!by_op || !elements.op_has_them) {
      return node.SetOutput(EmitPicked(node, node.input(0), elements.along));
    }
  }
  if (!by_op) return MapByMatrices(node, sampling, target);
  const size_t h = nhwc ? 1 : rank - 2, w = nhwc ? 2 : rank - 1;
  const bool line = rank == 3;  // [N,C,L] becomes an image of height 1
  (*attributes)["size"] = std::vector<int64_t>{line ? 1 : target.sizes[h], target.sizes[w]};
  (*attributes)["scales"] = std::vector<float>{line ? 1.0f : target.scales[h], target.scales[w]};
  if (nhwc) return node.SetOutput(node.Emit("resize", {node.input(0)}, *std::move(attributes)));
  return node.SetOutput(EmitImage(node, "resize", {node.input(0)}, *std::move(attributes)));
}

absl::Status MapGridSample(NodeContext& node) {
  GridSample sample{node.String("mode", "bilinear"), node.String("padding_mode", "zeros"),
                    node.Int("align_corners", 0) != 0};
  // The names of opset 20.
  if (sample.mode == "linear") sample.mode = "bilinear";
  if (sample.mode == "cubic") sample.mode = "bicubic";
  const Shape& shape = node.shape(0);
  if (shape.rank() != 4 && shape.rank() != 5) {
    return absl::UnimplementedError(
        absl::StrCat("its input is ", shape.ToString(), ", expected four or five dimensions"));
  }
  if (shape.rank() == 4) {
    return node.SetOutput(EmitGridSample(node, node.input(0), node.input(1), sample));
  }
  RETURN_IF_ERROR(CheckOneOf("mode", sample.mode, {"bilinear", "nearest"}));
  return node.SetOutput(EmitVolumeSample(node, node.input(0), node.input(1), sample));
}

constexpr OpMapping kResizeMappings[] = {
    {"Resize", 1, 4, MapResize, "constant 'roi', 'scales' and 'sizes'"},
    {"Upsample", 1, 2, MapResize, "constant 'scales'"},
    {"GridSample", 2, 2, MapGridSample, "[N,C,H,W]; [N,C,D,H,W] but in mode cubic"},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kResizeMappings; }

}  // namespace synap_internal::onnx_import
