// Conv2D, DepthwiseConv2dNative and Conv2DBackpropInput.
#include "compiler/import/emit/convolution.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/window.h"

namespace synap_internal::tensorflow_import {
namespace {

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
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, node.ConstantInts(0, "output shape"));
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

constexpr char kConvolutionLimits[] =
    "constant weights; windows, strides and dilations over height and width";

constexpr OpMapping kConvolutionMappings[] = {
    {"Conv2D", 2, 2, MapConv2D, kConvolutionLimits},
    {"DepthwiseConv2dNative", 2, 2, MapDepthwise, kConvolutionLimits},
    {"Conv2DBackpropInput", 3, 3, MapConv2DBackpropInput,
     "constant weights and output shape; windows, strides and dilations over height and width"},
};

}  // namespace

absl::Span<const OpMapping> ConvolutionMappings() { return kConvolutionMappings; }

}  // namespace synap_internal::tensorflow_import
