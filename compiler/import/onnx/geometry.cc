// CenterCropPad, Col2Im and AffineGrid.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Cuts off, or appends zeros, at both ends of dimensions; the odd element at the end when padding
// and at the begin of what is left when cropping.
absl::Status MapCenterCropPad(NodeContext& node) {
  Tensor* x = node.input(0);
  const Shape s = x->type.shape;
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
  ASSIGN_OR_RETURN(x, EmitSlices(node, x, slices, padded ? ".cropped" : ""));
  if (!padded) return node.SetOutput(x);
  return node.SetOutput(node.Emit(
      "pad", {x}, {{"pads", std::move(pads)}, {"mode", std::string("constant")}, {"value", 0.0f}}));
}

// Adds the columns [N, C*KH*KW, L] at their places of an image: a transposed convolution whose
// weights put each element where it belongs.
absl::Status MapCol2Im(NodeContext& node) {
  const Shape x = node.shape(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> image, node.ConstantInts(1, "image_shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> block, node.ConstantInts(2, "block_shape"));
  if (image.size() != 2 || block.size() != 2 || x.rank() != 3) {
    return absl::UnimplementedError(absl::StrCat("its image has ", image.size(),
                                                 " dimensions and its input is ", x.ToString()));
  }
  Window window{block, node.Ints("strides", {1, 1}), node.Ints("dilations", {1, 1}),
                node.Ints("pads", {0, 0, 0, 0})};
  RETURN_IF_ERROR(CheckWindowValues("attribute 'strides'", window.strides, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'dilations'", window.dilations, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("attribute 'pads'", window.pads, 4, 0));
  RETURN_IF_ERROR(CheckWindowValues("'image_shape'", image, 2, 1));
  RETURN_IF_ERROR(CheckWindowValues("'block_shape'", block, 2, 1));
  const int64_t taps = block[0] * block[1];
  std::vector<int64_t> places, rest;  // of blocks, and what they leave of the image at its end
  for (size_t i = 0; i < 2; ++i) {
    const int64_t room =
        image[i] + window.pads[i] + window.pads[i + 2] - window.dilations[i] * (block[i] - 1) - 1;
    places.push_back(room < 0 ? 0 : room / window.strides[i] + 1);
    rest.push_back(room % window.strides[i]);
  }
  if (x[1] % taps != 0 || places[0] < 1 || x[2] != places[0] * places[1]) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its input ", x.ToString(), " has not ", places[0], "x", places[1], " blocks of ", taps,
        " elements for each channel, as its image [", absl::StrJoin(image, ", "), "] has"));
  }
  // [C*taps, 1, KH, KW]: 1 at the tap's own place.
  RETURN_IF_ERROR(Shape({x[1], taps}).Validate());
  RETURN_IF_ERROR(node.builder().Charge(x[1] * taps * int64_t{sizeof(float)}));
  std::vector<float> values(static_cast<size_t>(x[1] * taps), 0);
  for (int64_t i = 0; i < x[1]; ++i) values[static_cast<size_t>(i * taps + i % taps)] = 1;
  Tensor* weights = node.Values(Shape({x[1], 1, block[0], block[1]}), std::move(values), ".places");
  const int64_t channels = x[1] / taps;
  ASSIGN_OR_RETURN(weights, TransposedConvolutionWeights(node, weights, channels));
  ASSIGN_OR_RETURN(Tensor * columns,
                   node.Reshape(node.input(0), {x[0], x[1], places[0], places[1]}, ".columns"));
  return node.SetOutput(EmitTransposedConvolution(
      node, {columns, weights, nullptr, std::move(window), channels, std::move(rest)}));
}

// Coordinates of a dimension's elements from -1 to 1.
std::vector<float> Coordinates(int64_t size, bool align_corners) {
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    const double at = static_cast<double>(i), n = static_cast<double>(size);
    const double corner = size == 1 ? 0 : 2 * at / (n - 1) - 1;
    values.push_back(static_cast<float>(align_corners ? corner : (2 * at + 1) / n - 1));
  }
  return values;
}

// Positions times theta: [N,2,3] over height and width, or [N,3,4] over depth too.
absl::Status MapAffineGrid(NodeContext& node) {
  const Shape theta = node.shape(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.ConstantInts(1, "size"));
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  const bool fits = (dims == 2 || dims == 3) && theta == Shape({size[0], dims, dims + 1});
  if (!fits || !Shape(size).Validate().ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its theta ", theta.ToString(), " doesn't fit 'size' [",
                     absl::StrJoin(size, ", "), "], expected [N,2,3] for [N,C,H,W] or [N,3,4]"));
  }
  const bool align = node.Int("align_corners", 0) != 0;
  const std::vector<int64_t> spatial(size.begin() + 2, size.end());
  const Shape positions(spatial);
  RETURN_IF_ERROR(positions.Validate());
  RETURN_IF_ERROR(
      node.builder().Charge(positions.elements() * (dims + 1) * int64_t{sizeof(float)}));
  std::vector<std::vector<float>> along;
  for (const int64_t dim : spatial) along.push_back(Coordinates(dim, align));
  std::vector<float> values;
  for (int64_t at = 0; at < positions.elements(); ++at) {
    // The last dimension, x, comes first.
    int64_t left = at;
    for (size_t i = along.size(); i-- > 0;) {
      values.push_back(along[i][static_cast<size_t>(left % spatial[i])]);
      left /= spatial[i];
    }
    values.push_back(1);
  }
  Tensor* base = node.Values(Shape({positions.elements(), dims + 1}), std::move(values), ".base");
  ASSIGN_OR_RETURN(Tensor * turned, node.Transpose(node.input(0), {0, 2, 1}, ".theta"));
  ASSIGN_OR_RETURN(Tensor * grid, node.Emit("matmul", {base, turned}, {}, ".positions"));
  std::vector<int64_t> shape = {size[0]};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(dims);
  return node.SetOutput(node.Reshape(grid, std::move(shape)));
}

constexpr OpMapping kGeometryMappings[] = {
    {"AffineGrid", 2, 2, MapAffineGrid, "a constant 'size'"},
    {"CenterCropPad", 2, 2, MapCenterCropPad, "a constant 'shape'"},
    {"Col2Im", 3, 3, MapCol2Im, "constant 'image_shape' and 'block_shape'; two dimensions"},
};

}  // namespace

absl::Span<const OpMapping> GeometryMappings() { return kGeometryMappings; }

}  // namespace synap_internal::onnx_import
