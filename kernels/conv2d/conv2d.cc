#include "kernels/conv2d/conv2d.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/convolution/convolution.h"

namespace synap_internal {
namespace {

// conv2d_c1
absl::Status CheckRanks(absl::Span<const TensorType> inputs) {
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.rank() != 4 || w.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("x is [", x.ToString(), "], w is [",
                                                   w.ToString(),
                                                   "]; expected [N,H,W,C] and [O,KH,KW,C/groups]"));
  }
  if (w.elements() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("w is empty: [", w.ToString(), "]"));
}

// conv2d_c2
absl::Status CheckGroups(const Shape& x, const Shape& w, int64_t groups) {
  if (groups >= 1 && x[3] % groups == 0 && w[0] % groups == 0 && w[3] == x[3] / groups) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("groups is ", groups, " for ", x[3], " input and ", w[0],
                   " output channels, of which a filter reads ", w[3],
                   "; expected a divisor of both, and filters of input channels / groups"));
}

absl::StatusOr<Conv2dAttributes> ParseConv2d(absl::Span<const TensorType> inputs,
                                             const Attributes& attributes) {
  RETURN_IF_ERROR(CheckRanks(inputs));
  AttributeReader reader(attributes);
  Conv2dAttributes conv;
  conv.window = Window::Read(reader);
  conv.groups = reader.Int("groups", 1);
  conv.activation = FusedActivation::Read(reader);
  conv.sum = FusedSum::Read(reader);
  RETURN_IF_ERROR(reader.Finish());
  const TensorType &x = inputs[0], &w = inputs[1], &bias = Operand(inputs, 2);
  conv.window.rows.taps = w.shape[1];
  conv.window.columns.taps = w.shape[2];
  RETURN_IF_ERROR(CheckGroups(x.shape, w.shape, conv.groups));
  RETURN_IF_ERROR(conv.window.CheckSteps());                      // conv2d_c3
  RETURN_IF_ERROR(conv.window.CheckPads());                       // conv2d_c4
  RETURN_IF_ERROR(CheckBiasShape(bias, w.shape[0]));              // conv2d_c6
  RETURN_IF_ERROR(CheckLinearTypes(x, w, bias));                  // conv2d_c7
  RETURN_IF_ERROR(CheckBiasQuantizer(x, w, bias));                // conv2d_c8
  RETURN_IF_ERROR(conv.activation.Check(x, Operand(inputs, 3)));  // conv2d_c9
  return conv;
}

absl::StatusOr<std::vector<TensorType>> InferConv2d(const InferContext& context) {
  ASSIGN_OR_RETURN(const Conv2dAttributes conv, ParseConv2d(context.inputs, context.attributes));
  const Shape &x = context.inputs[0].shape, &w = context.inputs[1].shape;
  // conv2d_c5
  ASSIGN_OR_RETURN(const int64_t height, OutputExtent(conv.window.rows, x[1]));
  ASSIGN_OR_RETURN(const int64_t width, OutputExtent(conv.window.columns, x[2]));
  const TensorType& residual = Operand(context.inputs, kResidual);
  TensorType output{
      LinearOutputType(context.inputs[0], residual), Shape{x[0], height, width, w[0]}, {}};
  RETURN_IF_ERROR(output.shape.Validate());
  RETURN_IF_ERROR(conv.sum.Check(output, residual));  // conv2d_c11
  return std::vector<TensorType>{std::move(output)};
}

ConvolutionAxis AxisOf(const WindowAxis& window, int64_t count) {
  ConvolutionAxis axis;
  axis.count = count;
  axis.in_begin = -window.pad_begin;
  axis.in_step = window.stride;
  axis.taps = window.taps;
  axis.tap_step = window.dilation;
  return axis;
}

Convolution ConvolutionOf(const Conv2dAttributes& conv, const Shape& x, const Shape& output) {
  Convolution c;
  c.batch = x[0];
  c.in_height = x[1];
  c.in_width = x[2];
  c.in_channels = x[3];
  c.out_height = output[1];
  c.out_width = output[2];
  c.out_channels = output[3];
  c.groups = conv.groups;
  c.kernel_height = conv.window.rows.taps;
  c.kernel_width = conv.window.columns.taps;
  c.rows = AxisOf(conv.window.rows, output[1]);
  c.columns = AxisOf(conv.window.columns, output[2]);
  return c;
}

absl::StatusOr<Kernel> PrepareConv2d(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const Conv2dAttributes conv, ParseConv2d(context.inputs, context.attributes));
  const Shape &x = context.inputs[0].shape, &w = context.inputs[1].shape;
  const Shape& output = context.outputs[0].shape;
  // conv2d_c10
  ASSIGN_OR_RETURN(LinearData data,
                   PrepareLinear(context, conv.activation, conv.sum, {w[0], w.elements() / w[0]}));
  if (context.path == KernelPath::kFast) {
    if (auto kernel = ConvolutionKernel({ConvolutionOf(conv, x, output)}, data)) {
      return *std::move(kernel);
    }
  }
  auto shared = std::make_shared<const LinearData>(std::move(data));
  Kernel kernel;
  kernel.run = [conv, shared, x, output](const KernelArgs& args) {
    RunConv2dReference(conv, *shared, x, output, args);
  };
  return kernel;
}

OpCost CostConv2d(absl::Span<const TensorType> inputs, absl::Span<const TensorType> outputs) {
  const Shape& w = inputs[1].shape;
  return {.macs = SaturatingProduct(outputs[0].shape.elements(), w.Product(1, 4)),
          .ops = SumsOf(inputs, outputs)};
}

}  // namespace

absl::Span<const OpDef> Conv2dOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "conv2d",
      .layer_type = "ConvolutionReluPoolingLayer2",
      .operands = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias,
                   OperandRole::kTable, OperandRole::kActivation},
      .required = 2,
      .own_types = OwnTypes::kFloat32Uint8Int16,
      .infer = InferConv2d,
      .prepare = PrepareConv2d,
      .cost = CostConv2d,
      .weight_channels = 0,
      .linear = LinearForm::kWindow,
      .fused_clamp = true,
      .epilogue = true,
  }};
  return *ops;
}

}  // namespace synap_internal
