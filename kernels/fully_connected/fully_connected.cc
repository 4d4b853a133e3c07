#include "kernels/fully_connected/fully_connected.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/convolution/convolution.h"

namespace synap_internal {
namespace {

struct FullyConnectedAttributes {
  FusedActivation activation;
  FusedSum sum;
};

// fully_connected_c1
absl::Status CheckShapes(absl::Span<const TensorType> inputs) {
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.rank() > 0 && w.rank() == 2 && w.elements() > 0 && x.back() == w[1]) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("x is [", x.ToString(), "], w is [", w.ToString(),
                                                 "]; expected [...,K] and [O,K]"));
}

absl::StatusOr<FullyConnectedAttributes> ParseFullyConnected(absl::Span<const TensorType> inputs,
                                                             const Attributes& attributes) {
  RETURN_IF_ERROR(CheckShapes(inputs));
  AttributeReader reader(attributes);
  const FullyConnectedAttributes linear = {FusedActivation::Read(reader), FusedSum::Read(reader)};
  RETURN_IF_ERROR(reader.Finish());
  const TensorType &x = inputs[0], &w = inputs[1], &bias = Operand(inputs, 2);
  RETURN_IF_ERROR(CheckBiasShape(bias, w.shape[0]));                // fully_connected_c2
  RETURN_IF_ERROR(CheckLinearTypes(x, w, bias));                    // fully_connected_c3
  RETURN_IF_ERROR(CheckBiasQuantizer(x, w, bias));                  // fully_connected_c4
  RETURN_IF_ERROR(linear.activation.Check(x, Operand(inputs, 3)));  // fully_connected_c5
  return linear;
}

absl::StatusOr<std::vector<TensorType>> InferFullyConnected(const InferContext& context) {
  ASSIGN_OR_RETURN(const FullyConnectedAttributes linear,
                   ParseFullyConnected(context.inputs, context.attributes));
  const TensorType &x = context.inputs[0], &residual = Operand(context.inputs, kResidual);
  TensorType output{LinearOutputType(x, residual), x.shape, {}};
  output.shape[output.shape.rank() - 1] = context.inputs[1].shape[0];
  RETURN_IF_ERROR(output.shape.Validate());
  // fully_connected_c7
  RETURN_IF_ERROR(linear.sum.Check(output, residual));
  return std::vector<TensorType>{std::move(output)};
}

absl::StatusOr<Kernel> PrepareFullyConnected(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const FullyConnectedAttributes linear,
                   ParseFullyConnected(context.inputs, context.attributes));
  const Shape& w = context.inputs[1].shape;
  const int64_t outputs = w[0], inputs = w[1];
  const int64_t rows = context.inputs[0].shape.elements() / inputs;
  // fully_connected_c6
  ASSIGN_OR_RETURN(LinearData data,
                   PrepareLinear(context, linear.activation, linear.sum, {outputs, inputs}));
  if (context.path == KernelPath::kFast) {
    // A pointwise convolution over an image of one row.
    Convolution c;
    c.in_width = c.out_width = c.columns.count = rows;
    c.in_channels = inputs;
    c.out_channels = outputs;
    if (auto kernel = ConvolutionKernel({c}, data)) return *std::move(kernel);
  }
  auto shared = std::make_shared<const LinearData>(std::move(data));
  Kernel kernel;
  kernel.run = [shared, rows, inputs, outputs](const KernelArgs& args) {
    RunFullyConnectedReference(*shared, rows, inputs, outputs, args);
  };
  return kernel;
}

OpCost CostFullyConnected(absl::Span<const TensorType> inputs,
                          absl::Span<const TensorType> outputs) {
  return {.macs = SaturatingProduct(outputs[0].shape.elements(), inputs[1].shape[1]),
          .ops = SumsOf(inputs, outputs)};
}

}  // namespace

absl::Span<const OpDef> FullyConnectedOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "fully_connected",
      .layer_type = "FullyConnectedReluLayer",
      .operands = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias,
                   OperandRole::kTable, OperandRole::kActivation},
      .required = 2,
      .own_types = OwnTypes::kFloat32Uint8Int16,
      .infer = InferFullyConnected,
      .prepare = PrepareFullyConnected,
      .cost = CostFullyConnected,
      .weight_channels = 0,
      .linear = LinearForm::kDense,
      .fused_clamp = true,
      .epilogue = true,
  }};
  return *ops;
}

}  // namespace synap_internal
