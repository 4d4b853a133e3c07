// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV.
#include "compiler/import/emit/convolution.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/layer_operands.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// Kernel, strides and dilations of either kind of convolution.
template <typename T>
absl::StatusOr<Window> ReadWindow(const T& options, const Shape& x, const Shape& w) {
  RETURN_IF_ERROR(CheckFilter(w));
  Window window{{w[1], w[2]},
                {options.stride_h(), options.stride_w()},
                {options.dilation_h_factor(), options.dilation_w_factor()}};
  RETURN_IF_ERROR(Pad(x, options.padding(), window));
  return window;
}

absl::Status MapConv(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::Conv2DOptions>());
  Tensor* x = op.input(0);
  ASSIGN_OR_RETURN(Tensor * w, Weights(op, op.input(1), x));
  const Shape& weights = w->type.shape;
  ASSIGN_OR_RETURN(const Window window, ReadWindow(*options, x->type.shape, weights));
  const int64_t channels = x->type.shape[3];
  if (channels % weights[3] != 0) return FilterMismatch(weights, x->type.shape);
  Attributes attributes = window.ToAttributes();
  attributes["groups"] = channels / weights[3];
  return op.SetOutput(op.EmitActivated("conv2d", LinearOperands(op, x, w, 2), std::move(attributes),
                                       options->fused_activation_function()));
}

// Output channel o reads input channel o / multiplier.
absl::Status MapDepthwise(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::DepthwiseConv2DOptions>());
  Tensor* x = op.input(0);
  ASSIGN_OR_RETURN(Tensor * w, Weights(op, op.input(1), x));
  const Shape weights = w->type.shape;
  ASSIGN_OR_RETURN(const Window window, ReadWindow(*options, x->type.shape, weights));
  const int64_t channels = x->type.shape[3];
  if (weights[0] != 1 || channels < 1 || weights[3] % channels != 0) {
    return FilterMismatch(weights, x->type.shape);
  }
  Attributes attributes = window.ToAttributes();
  const bool multiplied = weights[3] != channels;
  if (multiplied) attributes["groups"] = channels;
  const Emitted filter = multiplied ? PermutedWeights(op, w, {3, 1, 2, 0}, ".ohwi") : w;
  return op.SetOutput(op.EmitActivated(multiplied ? "conv2d" : "depthwise_conv2d",
                                       LinearOperands(op, x, filter, 2), std::move(attributes),
                                       options->fused_activation_function()));
}

absl::Status MapTransposeConv(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::TransposeConvOptions>());
  ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, op.ConstantInts(0, "output shape"));
  const Shape output(wanted);
  RETURN_IF_ERROR(Annotate(output.Validate(), "its output shape"));
  Tensor* x = op.input(2);
  RETURN_IF_ERROR(CheckImage(x->type.shape));
  ASSIGN_OR_RETURN(Tensor * w, Weights(op, op.input(1), x));
  const Shape& weights = w->type.shape;
  RETURN_IF_ERROR(CheckFilter(weights));
  Window window{{weights[1], weights[2]}, {options->stride_h(), options->stride_w()}};
  RETURN_IF_ERROR(Pad(output, options->padding(), window));
  Attributes attributes = TransposedAttributes(x->type.shape, output, window);
  ASSIGN_OR_RETURN(Tensor * y,
                   op.EmitActivated("conv_transpose2d", LinearOperands(op, x, w, 3),
                                    std::move(attributes), options->fused_activation_function()));
  if (y->type.shape == output) return op.SetOutput(y);
  return absl::InvalidArgumentError(absl::StrCat(
      "its output shape is ", output.ToString(), ", but of its input ", x->type.shape.ToString(),
      " and its weights ", w->type.shape.ToString(), " it computes ", y->type.shape.ToString()));
}

constexpr char kLinearLimits[] =
    "constant weights and bias, the bias of quantized values int32, with int16 values int64; "
    "the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH";

constexpr OpMapping kConvolutionMappings[] = {
    {tflite::BuiltinOperator::CONV_2D, 2, 3, MapConv, kLinearLimits},
    {tflite::BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3, MapDepthwise, kLinearLimits},
    {tflite::BuiltinOperator::TRANSPOSE_CONV, 3, 4, MapTransposeConv,
     "constant output shape, weights and bias, the bias of quantized values int32, "
     "with int16 values int64; the fused activations RELU, RELU6, RELU_N1_TO_1 and TANH"},
};

}  // namespace

absl::Span<const OpMapping> ConvolutionMappings() { return kConvolutionMappings; }

}  // namespace synap_internal::tflite_import
