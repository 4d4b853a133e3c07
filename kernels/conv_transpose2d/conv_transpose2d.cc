#include "kernels/conv_transpose2d/conv_transpose2d.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/convolution/convolution.h"

namespace synap_internal {
namespace {

// More phases than this (strides of more than 8 by 8) aren't worth packing
// weights for each.
constexpr int64_t kMaxPhases = 64;

// conv_transpose2d_c1, conv_transpose2d_c2
absl::Status CheckShapes(absl::Span<const TensorType> inputs, int64_t groups) {
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  if (x.rank() != 4 || w.rank() != 4 || w.elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("x is [", x.ToString(), "], w is [",
                                                   w.ToString(),
                                                   "]; expected [N,H,W,C] and [O,KH,KW,C/groups]"));
  }
  if (groups >= 1 && x[3] % groups == 0 && w[0] % groups == 0 && w[3] == x[3] / groups) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("groups is ", groups, " for ", x[3], " input and ", w[0],
                   " output channels, of which a filter reads ", w[3],
                   "; expected a divisor of both, and filters of input channels / groups"));
}

// conv_transpose2d_c4
absl::Status CheckPaddings(const Window& window, const std::vector<int64_t>& output_padding) {
  RETURN_IF_ERROR(window.CheckPads());
  for (const int64_t padding : output_padding) {
    if (padding < 0 || padding > kMaxWindow) {
      return absl::InvalidArgumentError(
          absl::StrCat("an output_padding is ", padding, ", expected 0..", kMaxWindow));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ConvTranspose2dAttributes> Parse(absl::Span<const TensorType> inputs,
                                                const Attributes& attributes) {
  AttributeReader reader(attributes);
  ConvTranspose2dAttributes conv;
  conv.window = Window::Read(reader);
  const std::vector<int64_t> output_padding = reader.Ints("output_padding", 2, {0, 0});
  conv.groups = reader.Int("groups", 1);
  conv.activation = FusedActivation::Read(reader);
  RETURN_IF_ERROR(reader.Finish());
  RETURN_IF_ERROR(CheckShapes(inputs, conv.groups));
  const TensorType &x = inputs[0], &w = inputs[1], &bias = Operand(inputs, 2);
  conv.window.rows.taps = w.shape[1];
  conv.window.columns.taps = w.shape[2];
  conv.output_padding_rows = output_padding[0];
  conv.output_padding_columns = output_padding[1];
  RETURN_IF_ERROR(conv.window.CheckSteps());  // conv_transpose2d_c3
  RETURN_IF_ERROR(CheckPaddings(conv.window, output_padding));
  RETURN_IF_ERROR(CheckBiasShape(bias, w.shape[0]));        // conv_transpose2d_c6
  RETURN_IF_ERROR(CheckLinearTypes(x, w, bias));            // conv_transpose2d_c7
  RETURN_IF_ERROR(CheckBiasQuantizer(x, w, bias));          // conv_transpose2d_c8
  RETURN_IF_ERROR(conv.activation.Check(x, TensorType()));  // conv_transpose2d_c9
  return conv;
}

// conv_transpose2d_c5
absl::StatusOr<int64_t> TransposedExtent(const WindowAxis& axis, int64_t input, int64_t padding) {
  const int64_t extent =
      (input - 1) * axis.stride + axis.reach() - axis.pad_begin - axis.pad_end + padding;
  if (input >= 1 && extent >= 1) return extent;
  return absl::InvalidArgumentError(absl::StrCat(
      "the output of ", input, " elements with stride ", axis.stride, ", a window over ",
      axis.reach(), " elements, pads ", axis.pad_begin, " and ", axis.pad_end,
      " and output padding ", padding, " is empty, expected one element or more"));
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  ASSIGN_OR_RETURN(const ConvTranspose2dAttributes conv, Parse(context.inputs, context.attributes));
  const Shape& x = context.inputs[0].shape;
  ASSIGN_OR_RETURN(const int64_t height,
                   TransposedExtent(conv.window.rows, x[1], conv.output_padding_rows));
  ASSIGN_OR_RETURN(const int64_t width,
                   TransposedExtent(conv.window.columns, x[2], conv.output_padding_columns));
  TensorType output{
      context.inputs[0].dtype, Shape{x[0], height, width, context.inputs[1].shape[0]}, {}};
  RETURN_IF_ERROR(output.shape.Validate());
  return std::vector<TensorType>{std::move(output)};
}

// Output positions phase, phase + stride, ... all read the same taps, and their
// inputs are neighbours: an ordinary convolution with a stride of 1 that walks
// backwards through the input.
ConvolutionAxis PhaseOf(const WindowAxis& axis, int64_t phase, int64_t extent) {
  ConvolutionAxis result;
  result.count = (extent - phase + axis.stride - 1) / axis.stride;
  result.out_begin = phase;
  result.out_step = axis.stride;
  const int64_t divisor = std::gcd(axis.stride, axis.dilation);
  result.kernel_step = axis.stride / divisor;
  result.tap_step = -axis.dilation / divisor;
  result.taps = 0;
  for (int64_t t = 0; t < axis.taps && t < result.kernel_step; ++t) {
    const int64_t scaled = phase + axis.pad_begin - t * axis.dilation;
    if (scaled % axis.stride != 0) continue;
    result.kernel_begin = t;
    result.in_begin = scaled / axis.stride;
    result.taps = (axis.taps - 1 - t) / result.kernel_step + 1;
  }
  return result;
}

std::vector<Convolution> PhasesOf(const ConvTranspose2dAttributes& conv, const Shape& x,
                                  const Shape& output) {
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
  std::vector<Convolution> phases;
  for (int64_t r = 0; r < std::min(conv.window.rows.stride, output[1]); ++r) {
    for (int64_t q = 0; q < std::min(conv.window.columns.stride, output[2]); ++q) {
      c.rows = PhaseOf(conv.window.rows, r, output[1]);
      c.columns = PhaseOf(conv.window.columns, q, output[2]);
      phases.push_back(c);
    }
  }
  return phases;
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const ConvTranspose2dAttributes conv, Parse(context.inputs, context.attributes));
  const Shape &x = context.inputs[0].shape, &w = context.inputs[1].shape;
  const Shape& output = context.outputs[0].shape;
  // conv_transpose2d_c10
  ASSIGN_OR_RETURN(LinearData data, PrepareLinear(context, conv.activation, FusedSum(),
                                                  {w[0], w.elements() / w[0]}));
  const int64_t phases = conv.window.rows.stride * conv.window.columns.stride;
  if (context.path == KernelPath::kFast && phases <= kMaxPhases) {
    if (auto kernel = ConvolutionKernel(PhasesOf(conv, x, output), data)) {
      return *std::move(kernel);
    }
  }
  auto shared = std::make_shared<const LinearData>(std::move(data));
  Kernel kernel;
  kernel.run = [conv, shared, x, output](const KernelArgs& args) {
    RunConvTranspose2dReference(conv, *shared, x, output, args);
  };
  return kernel;
}

// Every element of x is multiplied with every tap of its group's outputs once.
OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  const Shape &x = inputs[0].shape, &w = inputs[1].shape;
  return {.macs = SaturatingProduct(x.Product(0, 3), w.elements())};
}

}  // namespace

absl::Span<const OpDef> ConvTranspose2dOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "conv_transpose2d",
      .layer_type = "ConvolutionReluPoolingLayer2",
      .operands = {OperandRole::kActivation, OperandRole::kWeight, OperandRole::kBias},
      .required = 2,
      .own_types = OwnTypes::kFloat32Uint8Int16,
      .infer = Infer,
      .prepare = Prepare,
      .cost = Cost,
      .weight_channels = 0,
      .linear = LinearForm::kTransposed,
      .fused_clamp = true,
  }};
  return *ops;
}

}  // namespace synap_internal
