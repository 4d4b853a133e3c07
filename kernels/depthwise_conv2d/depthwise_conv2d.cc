#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

struct DepthwiseAttributes {
  Window window;
  FusedActivation activation;
  FusedSum sum;
};

// depthwise_conv2d_c1
absl::Status CheckShapes(absl::Span<const TensorType> inputs) {
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.rank() == 4 && w.rank() == 4 && w[0] == 1 && w[3] == x[3] && w.elements() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("x is [", x.ToString(), "], w is [", w.ToString(),
                                                 "]; expected [N,H,W,C] and [1,KH,KW,C]"));
}

absl::StatusOr<DepthwiseAttributes> ParseDepthwise(absl::Span<const TensorType> inputs,
                                                   const Attributes& attributes) {
  RETURN_IF_ERROR(CheckShapes(inputs));
  AttributeReader reader(attributes);
  DepthwiseAttributes depthwise;
  depthwise.window = Window::Read(reader);
  depthwise.activation = FusedActivation::Read(reader);
  depthwise.sum = FusedSum::Read(reader);
  RETURN_IF_ERROR(reader.Finish());
  const TensorType &x = inputs[0], &w = inputs[1], &bias = Operand(inputs, 2);
  depthwise.window.rows.taps = w.shape[1];
  depthwise.window.columns.taps = w.shape[2];
  RETURN_IF_ERROR(depthwise.window.CheckSteps());                      // depthwise_conv2d_c2
  RETURN_IF_ERROR(depthwise.window.CheckPads());                       // depthwise_conv2d_c3
  RETURN_IF_ERROR(CheckBiasShape(bias, x.shape[3]));                   // depthwise_conv2d_c5
  RETURN_IF_ERROR(CheckLinearTypes(x, w, bias));                       // depthwise_conv2d_c6
  RETURN_IF_ERROR(CheckBiasQuantizer(x, w, bias));                     // depthwise_conv2d_c7
  RETURN_IF_ERROR(depthwise.activation.Check(x, Operand(inputs, 3)));  // depthwise_conv2d_c8
  return depthwise;
}

absl::StatusOr<std::vector<TensorType>> InferDepthwise(const InferContext& context) {
  ASSIGN_OR_RETURN(const DepthwiseAttributes depthwise,
                   ParseDepthwise(context.inputs, context.attributes));
  const Shape& x = context.inputs[0].shape;
  const TensorType& residual = Operand(context.inputs, kResidual);
  // depthwise_conv2d_c4
  ASSIGN_OR_RETURN(const int64_t height, OutputExtent(depthwise.window.rows, x[1]));
  ASSIGN_OR_RETURN(const int64_t width, OutputExtent(depthwise.window.columns, x[2]));
  TensorType output{
      LinearOutputType(context.inputs[0], residual), Shape{x[0], height, width, x[3]}, {}};
  RETURN_IF_ERROR(output.shape.Validate());
  // depthwise_conv2d_c10
  RETURN_IF_ERROR(depthwise.sum.Check(output, residual));
  return std::vector<TensorType>{std::move(output)};
}

absl::StatusOr<Kernel> PrepareDepthwise(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const DepthwiseAttributes depthwise,
                   ParseDepthwise(context.inputs, context.attributes));
  const Window& window = depthwise.window;
  const Shape &x = context.inputs[0].shape, &output = context.outputs[0].shape;
  // depthwise_conv2d_c9
  ASSIGN_OR_RETURN(LinearData data,
                   PrepareLinear(context, depthwise.activation, depthwise.sum, {x[3], 1}));
  if (context.path == KernelPath::kFast) {
    if (auto kernel = DepthwiseKernel(window, data, x, output)) return *std::move(kernel);
  }
  auto shared = std::make_shared<const LinearData>(std::move(data));
  Kernel kernel;
  kernel.run = [window, shared, x, output](const KernelArgs& args) {
    RunDepthwiseReference(window, *shared, x, output, args);
  };
  return kernel;
}

OpCost CostDepthwise(absl::Span<const TensorType> inputs, absl::Span<const TensorType> outputs) {
  const Shape& w = inputs[1].shape;
  return {.macs = SaturatingProduct(outputs[0].shape.elements(), w.Product(1, 3)),
          .ops = SumsOf(inputs, outputs)};
}

}  // namespace

absl::Span<const OpDef> DepthwiseConv2dOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "depthwise_conv2d",
      .layer_type = "ConvolutionReluPoolingLayer2",
      .operands = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias,
                   OperandRole::kTable, OperandRole::kActivation},
      .required = 2,
      .own_types = OwnTypes::kFloat32Uint8Int16,
      .infer = InferDepthwise,
      .prepare = PrepareDepthwise,
      .cost = CostDepthwise,
      .weight_channels = 3,
      .linear = LinearForm::kDepthwise,
      .fused_clamp = true,
      .epilogue = true,
  }};
  return *ops;
}

}  // namespace synap_internal
