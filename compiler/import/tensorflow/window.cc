// Operators that move a window over images: convolution and pooling.
#include "compiler/import/emit/window.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

using Dims = std::vector<int64_t>;

// Height and width of an attribute that has a number for each dimension of an image in data_format;
// {1, 1} if it is absent. Unimplemented unless those of batch and channels are 1.
absl::StatusOr<Dims> SpatialInts(const NodeContext& node, const std::string& name) {
  const Dims values = node.Ints(name);
  if (values.empty()) return Dims{1, 1};
  const size_t first = node.IsNchw() ? 2 : 1;  // height
  const size_t channels = node.IsNchw() ? 1 : 3;
  if (values.size() == 4 && values[0] == 1 && values[channels] == 1) {
    return Dims{values[first], values[first + 1]};
  }
  return absl::UnimplementedError(
      absl::StrCat("its ", name, " are [", absl::StrJoin(values, ", "),
                   "], expected four numbers, those of batch and channels 1"));
}

// strides, dilations, padding and explicit_paddings of a node whose window of `kernel` (height,
// width) moves over `x`, [N,H,W,C].
absl::StatusOr<Window> ReadWindow(const NodeContext& node, const Shape& x, Dims kernel) {
  Window window;
  window.kernel = std::move(kernel);
  ASSIGN_OR_RETURN(window.strides, SpatialInts(node, "strides"));
  ASSIGN_OR_RETURN(window.dilations, SpatialInts(node, "dilations"));
  RETURN_IF_ERROR(window.Check());
  const std::string padding = node.String("padding", "");
  if (padding == "SAME") {
    RETURN_IF_ERROR(PadSame(x, window));
  } else if (padding == "EXPLICIT") {
    // Pairs of begin and end for each dimension of data_format.
    const Dims pads = node.Ints("explicit_paddings");
    RETURN_IF_ERROR(CheckWindowValues("its explicit_paddings", pads, 8, 0));
    const size_t top = node.IsNchw() ? 4 : 2;
    window.pads = {pads[top], pads[top + 2], pads[top + 1], pads[top + 3]};
  } else if (padding != "VALID") {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is '", padding, "', expected SAME, VALID or EXPLICIT"));
  }
  return window;
}

absl::Status MapConv2D(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  const Shape w = node.shape(1);
  RETURN_IF_ERROR(CheckFilter(w));
  const int64_t channels = x->type.shape[3];
  if (channels % w[2] != 0) return FilterMismatch(w, x->type.shape);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x->type.shape, {w[0], w[1]}));
  const Emitted filter = PermutedWeights(node, node.input(1), {3, 0, 1, 2}, ".permuted");
  Attributes attributes = window.ToAttributes();
  attributes["groups"] = channels / w[2];
  return node.SetOutput(node.EmitImage("conv2d", {x, filter}, std::move(attributes)));
}

// Filter [KH, KW, C, M]: output channel c * M + m reads input channel c.
absl::Status MapDepthwise(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  const Shape w = node.shape(1);
  RETURN_IF_ERROR(CheckFilter(w));
  if (w[2] != x->type.shape[3]) return FilterMismatch(w, x->type.shape);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x->type.shape, {w[0], w[1]}));
  Attributes attributes = window.ToAttributes();
  if (w[3] == 1) {
    const Emitted filter = PermutedWeights(node, node.input(1), {3, 0, 1, 2}, ".permuted");
    return node.SetOutput(node.EmitImage("depthwise_conv2d", {x, filter}, std::move(attributes)));
  }
  Emitted filter = node.Reshape(node.input(1), {w[0], w[1], w[2] * w[3], 1}, ".filter");
  filter = node.Transpose(filter, {2, 0, 1, 3}, ".filter");
  attributes["groups"] = w[2];
  return node.SetOutput(node.EmitImage("conv2d", {x, filter}, std::move(attributes)));
}

// The shape of the output, as [N,H,W,C].
absl::StatusOr<Shape> OutputShape(const NodeContext& node) {
  ASSIGN_OR_RETURN(Dims dims, node.ConstantInts(0, "output shape"));
  if (dims.size() == 2 && !node.IsNchw()) dims = {1, dims[0], dims[1], 1};  // only height, width
  if (dims.size() == 4 && node.IsNchw()) dims = {dims[0], dims[2], dims[3], dims[1]};
  Shape output(std::move(dims));
  RETURN_IF_ERROR(Annotate(output.Validate(), "its output shape"));
  return output;
}

// Filter [KH, KW, O, C], that of the convolution whose gradient the node computes.
absl::Status MapConv2DBackpropInput(NodeContext& node) {
  ASSIGN_OR_RETURN(const Shape output, OutputShape(node));
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(2)));
  const Shape w = node.shape(1);
  RETURN_IF_ERROR(CheckFilter(w));
  RETURN_IF_ERROR(CheckImage(output));
  if (w[3] != x->type.shape[3]) return FilterMismatch(w, x->type.shape);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, output, {w[0], w[1]}));
  const Emitted filter = PermutedWeights(node, node.input(1), {2, 0, 1, 3}, ".permuted");
  return node.SetOutput(node.EmitImage("conv_transpose2d", {x, filter},
                                       TransposedAttributes(x->type.shape, output, window)));
}

// Neither operator counts padding.
absl::Status MapPool(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.Image(node.input(0)));
  ASSIGN_OR_RETURN(Dims kernel, SpatialInts(node, "ksize"));
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, x->type.shape, std::move(kernel)));
  return node.SetOutput(node.EmitImage(node.op() == "AvgPool" ? "avg_pool2d" : "max_pool2d", {x},
                                       window.ToPoolAttributes()));
}

constexpr char kConvolutionLimits[] =
    "constant weights; windows, strides and dilations over height and width";

constexpr char kPoolLimits[] = "windows, strides and dilations over height and width";

constexpr OpMapping kWindowMappings[] = {
    {"Conv2D", 2, 2, MapConv2D, kConvolutionLimits},
    {"DepthwiseConv2dNative", 2, 2, MapDepthwise, kConvolutionLimits},
    {"Conv2DBackpropInput", 3, 3, MapConv2DBackpropInput,
     "constant weights and output shape; windows, strides and dilations over height and width"},
    {"AvgPool", 1, 1, MapPool, kPoolLimits},
    {"MaxPool", 1, 1, MapPool, kPoolLimits},
};

}  // namespace

absl::Span<const OpMapping> WindowMappings() { return kWindowMappings; }

}  // namespace synap_internal::tensorflow_import
