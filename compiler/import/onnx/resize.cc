// Resize and its predecessor Upsample.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/onnx/spatial.h"

namespace synap::onnx_import {
namespace {

// Sizes and factors of all dimensions.
struct Target {
  std::vector<int64_t> sizes;
  std::vector<float> scales;  // size out / size in, as the coordinates are computed with
};

absl::StatusOr<Target> FromScales(const Shape& x, std::vector<float> scales) {
  Target target;
  if (scales.size() != x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", scales.size(), " scales for its input ", x.ToString()));
  }
  for (size_t i = 0; i < x.rank(); ++i) {
    const double size = std::floor(static_cast<double>(x[i]) * static_cast<double>(scales[i]));
    if (!(scales[i] > 0) || !(size >= 1) || size > static_cast<double>(Shape::kMaxElements)) {
      return absl::InvalidArgumentError(absl::StrCat("can't resize ", x.ToString(), " by scales [",
                                                     absl::StrJoin(scales, ", "), "]"));
    }
    target.sizes.push_back(static_cast<int64_t>(size));
  }
  target.scales = std::move(scales);
  return target;
}

absl::StatusOr<Target> FromSizes(const Shape& x, std::vector<int64_t> sizes) {
  Target target;
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

// Values for the dimensions in `axes` (all if there is no such attribute), the
// others from `others`.
template <typename T>
absl::StatusOr<std::vector<T>> OverAxes(NodeContext& node, std::vector<T> values,
                                        std::vector<T> others) {
  if (!node.HasAttribute("axes")) return values;
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes,
                   NodeContext::Axes(node.Ints("axes"), others.size()));
  if (axes.size() != values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", axes.size(), " axes and ", values.size(), " sizes or scales"));
  }
  for (size_t i = 0; i < axes.size(); ++i) others[static_cast<size_t>(axes[i])] = values[i];
  return others;
}

absl::StatusOr<Target> ReadTarget(NodeContext& node) {
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
  return FromSizes(x, std::move(sizes));
}

absl::Status UnsupportedValue(absl::string_view attribute, absl::string_view value) {
  return absl::UnimplementedError(
      absl::StrCat("attribute '", attribute, "' is '", value, "', which is not supported"));
}

// Attributes that change nothing here, or must not be there.
absl::Status CheckOptions(NodeContext& node) {
  for (const char* name : {"cubic_coeff_a", "exclude_outside", "extrapolation_value"}) {
    node.IgnoreAttribute(name);  // of modes that are refused
  }
  if (node.Int("antialias", 0) != 0) return UnsupportedValue("antialias", "1");
  const std::string policy = node.String("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch") return UnsupportedValue("keep_aspect_ratio_policy", policy);
  return absl::OkStatus();
}

absl::StatusOr<Attributes> ReadMode(NodeContext& node, const Target& target) {
  RETURN_IF_ERROR(CheckOptions(node));
  const std::string mode = node.String("mode", "nearest");
  if (mode != "nearest" && mode != "linear") return UnsupportedValue("mode", mode);
  std::string coordinates = "asymmetric", rounding = "floor";
  if (node.node().op_type() == "Resize" && node.opset() >= 11) {
    coordinates = node.String("coordinate_transformation_mode", "half_pixel");
    rounding = node.String("nearest_mode", "round_prefer_floor");
  } else if (std::any_of(target.scales.begin(), target.scales.end(),
                         [](float scale) { return scale < 1; })) {
    rounding = "ceil";  // what runtimes agree on where the old operators said nothing
  }
  if (coordinates == "half_pixel_symmetric") {
    // Differs from half_pixel only where a size has been rounded.
    coordinates = "half_pixel";
    for (size_t i = 0; i < target.sizes.size(); ++i) {
      const float exact = static_cast<float>(node.shape(0)[i]) * target.scales[i];
      if (exact != static_cast<float>(target.sizes[i])) coordinates = "half_pixel_symmetric";
    }
  }
  constexpr absl::string_view kCoordinates[] = {"half_pixel", "asymmetric", "align_corners",
                                                "pytorch_half_pixel"};
  if (std::find(std::begin(kCoordinates), std::end(kCoordinates), coordinates) ==
      std::end(kCoordinates)) {
    return UnsupportedValue("coordinate_transformation_mode", coordinates);
  }
  Attributes attributes = {{"mode", mode}, {"coordinates", coordinates}};
  if (mode == "nearest") attributes["rounding"] = rounding;
  return attributes;
}

// Whether only dimensions [begin, end) are resized.
bool ResizesOnly(const Shape& x, const Target& target, size_t begin, size_t end) {
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool changes = target.sizes[i] != x[i] || target.scales[i] != 1;
    if (changes && (i < begin || i >= end)) return false;
  }
  return true;
}

absl::Status MapResize(NodeContext& node) {
  const Shape x_shape = node.shape(0);
  const size_t rank = x_shape.rank();
  ASSIGN_OR_RETURN(const Target target, ReadTarget(node));
  ASSIGN_OR_RETURN(Attributes attributes, ReadMode(node, target));
  if (ResizesOnly(x_shape, target, 0, 0)) return node.SetOutput(node.input(0));
  // Some exporters leave images as [N,H,W,C].
  const bool nhwc =
      rank == 4 && !ResizesOnly(x_shape, target, 2, 4) && ResizesOnly(x_shape, target, 1, 3);
  if (!nhwc && (rank < 3 || rank > 4 || !ResizesOnly(x_shape, target, 2, rank))) {
    return absl::UnimplementedError(absl::StrCat("it resizes ", x_shape.ToString(), " to ",
                                                 Shape(target.sizes).ToString(),
                                                 ", supported are height and width of images"));
  }
  const size_t h = nhwc ? 1 : rank - 2, w = nhwc ? 2 : rank - 1;
  const bool line = rank == 3;  // [N,C,L] becomes an image of height 1
  attributes["size"] = std::vector<int64_t>{line ? 1 : target.sizes[h], target.sizes[w]};
  attributes["scales"] = std::vector<float>{line ? 1.0f : target.scales[h], target.scales[w]};
  if (nhwc) return node.SetOutput(node.Emit("resize", {node.input(0)}, std::move(attributes)));
  ASSIGN_OR_RETURN(Tensor * x, ToNhwc(node, node.input(0)));
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("resize", {x}, std::move(attributes), ".nhwc"));
  return node.SetOutput(FromNhwc(node, y, rank));
}

constexpr OpMapping kMappings[] = {
    {"Resize", 1, 4, MapResize},
    {"Upsample", 1, 2, MapResize},
};

}  // namespace

absl::Span<const OpMapping> ResizeMappings() { return kMappings; }

}  // namespace synap::onnx_import
