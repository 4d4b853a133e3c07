// CenterCropPad, Col2Im and AffineGrid, and Crop and ImageScaler of old converters.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/emit/sampling.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Cuts off, or appends zeros, at both ends of dimensions; the odd element at the end when padding
// and at the begin of what is left when cropping.
absl::Status MapCenterCropPad(NodeContext& node) {
  const Shape s = node.shape(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.ConstantInts(1, "shape"));
  ASSIGN_OR_RETURN(
      const std::vector<int64_t> axes,
      ResolveAxes(node.HasAttribute("axes") ? node.Ints("axes") : AxesFrom(0, s.rank()), s.rank()));
  if (sizes.size() != axes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("its 'shape' has ", sizes.size(),
                                                   " elements, expected one for each of ",
                                                   axes.size(), " axes"));
  }
  std::vector<AxisSlice> slices = WholeSlices(s);
  std::vector<int64_t> pads(2 * s.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (sizes[i] < 1 || sizes[i] > Shape::kMaxElements) {
      return absl::InvalidArgumentError(absl::StrCat("its 'shape' is [", absl::StrJoin(sizes, ", "),
                                                     "], expected sizes of 1 to ",
                                                     Shape::kMaxElements));
    }
    const int64_t more = sizes[i] - s[axis];
    if (more < 0) {
      slices[axis] = {-more / 2, sizes[i], 1};
    } else {
      pads[axis] = more / 2;
      pads[axis + s.rank()] = more - more / 2;
    }
  }
  const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; });
  const auto x = EmitSlices(node, node.input(0), slices, padded ? ".cropped" : "");
  if (!padded) return node.SetOutput(x);
  return node.SetOutput(node.Emit(
      "pad", {x}, {{"pads", std::move(pads)}, {"mode", std::string("constant")}, {"value", 0.0f}}));
}

// Adds the columns [N, C*KH*KW, L] at their places of an image.
absl::Status MapCol2Im(NodeContext& node) {
  const Shape x = node.shape(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> image, node.ConstantInts(1, "image_shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> block, node.ConstantInts(2, "block_shape"));
  if (image.size() != 2 || block.size() != 2 || x.rank() != 3) {
    return absl::UnimplementedError(absl::StrCat("its image has ", image.size(),
                                                 " dimensions and its input is ", x.ToString()));
  }
  const Window window{block, node.Ints("strides", {1, 1}), node.Ints("dilations", {1, 1}),
                      node.Ints("pads", {0, 0, 0, 0})};
  RETURN_IF_ERROR(CheckWindowValues("attribute 'strides'", window.strides, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'dilations'", window.dilations, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'pads'", window.pads, 4, 0));
  RETURN_IF_ERROR(CheckWindowValues("'image_shape'", image, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("'block_shape'", block, 2, 1));
  return node.SetOutput(EmitColumnsToImage(node, node.input(0), image, window));
}

// Positions times theta: [N,2,3] over height and width, or [N,3,4] over depth too.
absl::Status MapAffineGrid(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.ConstantInts(1, "size"));
  const bool align = node.Int("align_corners", 0) != 0;
  return node.SetOutput(EmitAffineGrid(node, node.input(0), size, align));
}

// Experimental operators until opset 10, as converters of Core ML and CNTK wrote them. Source:
// ONNX's schemas of that time (onnx/defs/experiments).

absl::Status CheckImages(const Shape& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its input is ", x.ToString(), ", expected [N,C,H,W]"));
}

// scale x + bias, a bias for each channel.
absl::Status MapImageScaler(NodeContext& node) {
  const Shape x = node.shape(0);
  RETURN_IF_ERROR(CheckImages(x));
  const std::vector<float> bias = node.Floats("bias");
  if (static_cast<int64_t>(bias.size()) != x[1]) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'bias' has ", bias.size(),
                                                   " values for ", x[1],
                                                   " channels, expected one for each"));
  }
  return node.SetOutput(
      node.Emit("add", {node.Scale(node.input(0), node.Float("scale", 1), ".scaled"),
                        node.Reshape(node.builder().AddFloats(node.Name(".bias"), bias),
                                     {x[1], 1, 1}, ".channels")}));
}

// Crops 'border' (left, top, right, bottom); with 'scale' (height, width) what is kept after left
// and top has that size.
absl::Status MapCrop(NodeContext& node) {
  const Shape x = node.shape(0);
  RETURN_IF_ERROR(CheckImages(x));
  const std::vector<int64_t> border = node.Ints("border"), scale = node.Ints("scale");
  if (border.size() != 4 || (!scale.empty() && scale.size() != 2)) {
    return absl::InvalidArgumentError(absl::StrCat("attributes 'border' and 'scale' have ",
                                                   border.size(), " and ", scale.size(),
                                                   " values, expected 4 and 2 or none"));
  }
  const std::vector<int64_t> starts = {0, 0, border[1], border[0]};
  std::vector<int64_t> sizes = x.dims();
  for (const size_t side : {size_t{0}, size_t{1}}) {  // height, width
    const int64_t begin = starts[2 + side], end = border[3 - side], extent = x[2 + side];
    const bool inside = begin >= 0 && begin <= extent && end >= 0 && end <= extent - begin;
    sizes[2 + side] = !inside ? 0 : scale.empty() ? extent - begin - end : scale[side];
    if (inside && sizes[2 + side] > 0 && sizes[2 + side] <= extent - begin) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("attributes 'border' and 'scale' don't fit its input ", x.ToString(),
                     ", expected a part of it that isn't empty"));
  }
  return node.SetOutput(
      node.Emit("slice", {node.input(0)}, {{"starts", starts}, {"sizes", sizes}}));
}

constexpr OpMapping kGeometryMappings[] = {
    {"Crop", 1, 1, MapCrop, "[N,C,H,W]"},
    {"ImageScaler", 1, 1, MapImageScaler, "[N,C,H,W]"},
    {"AffineGrid", 2, 2, MapAffineGrid, "a constant 'size'"},
    {"CenterCropPad", 2, 2, MapCenterCropPad, "a constant 'shape'"},
    {"Col2Im", 3, 3, MapCol2Im, "constant 'image_shape' and 'block_shape'; two dimensions"},
};

}  // namespace

absl::Span<const OpMapping> GeometryMappings() { return kGeometryMappings; }

}  // namespace synap_internal::onnx_import
