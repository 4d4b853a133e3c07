// Convolutions and products of matrices.
#include "kernels/shared/linear/linear.h"

#include <string>
#include <utility>
#include <vector>

#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"
#include "kernels/shared/window.h"

namespace synap_internal::onnx_export {
namespace {

// The geometry of a convolution whose window is that of weights [_, KH, KW, _].
Attributes WindowAttributes(OpContext& context) {
  const Window window = Window::Read(context.attributes());
  const Shape& w = context.type(1).shape;
  Attributes attributes;
  attributes["kernel_shape"] = std::vector<int64_t>{w[1], w[2]};
  attributes["strides"] = std::vector<int64_t>{window.rows.stride, window.columns.stride};
  attributes["dilations"] = std::vector<int64_t>{window.rows.dilation, window.columns.dilation};
  attributes["pads"] = std::vector<int64_t>{window.rows.pad_begin, window.columns.pad_begin,
                                            window.rows.pad_end, window.columns.pad_end};
  return attributes;
}

bool HasOperand(const OpContext& context, size_t operand) {
  return context.op().input(operand) != nullptr;
}

// Of integers, as operands of a QuantizeLinear or a DequantizeLinear: attributes <stem>_scale and
// <stem>_zero_point, a quantizer of `type`.
OpContext::Values QuantizerOperands(OpContext& context, const std::string& stem, DataType type) {
  const float scale = context.attributes().Float(stem + "_scale", 0);
  const int64_t zero_point = context.attributes().Int(stem + "_zero_point", 0);
  const std::string zero = context.Name("/" + stem + "_zero_point");
  // Little-endian: the first bytes are those of the narrower type.
  const auto* bytes = reinterpret_cast<const uint8_t*>(&zero_point);
  context.writer().AddInitializer(zero, type, Shape(), {bytes, SizeOf(type)});
  return {context.Scalar("/" + stem + "_scale", scale), zero};
}

// The table's entries for `value`, whose integers by the table's own quantizer are the indices.
OpContext::Values TableOperands(OpContext& context, const std::string& value) {
  const OpContext::Values quantizer = QuantizerOperands(context, "table", DataType::kUint8);
  std::string index = context.Emit("QuantizeLinear", {value, quantizer[0], quantizer[1]}, {});
  index = context.Emit("Cast", {index}, {{"to", int64_t{onnx::TensorProto::INT64}}});
  return {context.views().Stored(context.op().inputs[3], IdentityOrder(1)), index};
}

// The sum of the residual and `value`, which was rounded to the op's own type where that is one
// of integers, after the sum's clamp.
void WriteSum(OpContext& context, std::string value, const Order& order) {
  const DataType type = context.output_type().dtype;
  const float min = context.attributes().Float("sum_min", Clamp().min);
  const float max = context.attributes().Float("sum_max", Clamp().max);
  if (context.output_type().quant.quantized()) {
    const OpContext::Values quantizer = QuantizerOperands(context, "own", type);
    if (HasOperand(context, 3)) {
      value = context.Emit("Gather", TableOperands(context, value), {});
    } else {
      value = context.Emit("QuantizeLinear", {value, quantizer[0], quantizer[1]}, {});
    }
    value = context.Emit("DequantizeLinear", {value, quantizer[0], quantizer[1]}, {});
  }
  value = context.Emit("Add", {value, context.Input(kResidual, order)}, {});
  context.Output("Clip", context.ClipOperands(value, min, max), {}, order);
}

// The output after the clamp and, of a compiled network, after the table of an activation and the
// sum with a residual.
absl::Status WriteOutput(OpContext& context, absl::string_view op_type,
                         const OpContext::Values& inputs, const Attributes& attributes,
                         const Order& order) {
  if (!HasOperand(context, 3) && !HasOperand(context, kResidual)) {
    context.OutputClamped(op_type, inputs, attributes, order);
    return absl::OkStatus();
  }
  const float min = context.attributes().Float("min", Clamp().min);
  const float max = context.attributes().Float("max", Clamp().max);
  std::string value = context.Emit(op_type, inputs, attributes);
  value = context.Emit("Clip", context.ClipOperands(value, min, max), {});
  if (HasOperand(context, kResidual)) {
    WriteSum(context, value, order);
  } else {
    context.OutputStored("Gather", TableOperands(context, value), {}, order);
  }
  return absl::OkStatus();
}

absl::Status WriteWindow(OpContext& context, const Order& weight_order, int64_t groups) {
  Attributes attributes = WindowAttributes(context);
  attributes["group"] = groups;
  OpContext::Values inputs = {context.Input(0, kNchw), context.Input(1, weight_order)};
  if (HasOperand(context, 2)) inputs.push_back(context.Input(2));
  return WriteOutput(context, "Conv", inputs, attributes, kNchw);
}

absl::Status WriteConv2d(OpContext& context) {
  return WriteWindow(context, kNchw, context.attributes().Int("groups", 1));
}

// A group for each channel.
absl::Status WriteDepthwiseConv2d(OpContext& context) {
  return WriteWindow(context, {3, 0, 1, 2}, context.type(1).shape[3]);
}

Constant RealWeights(const Tensor& w) {
  if (w.type.quant.quantized()) return Dequantized(w);
  if (w.type.dtype != DataType::kFloat16) return *w.constant;
  std::vector<float> values;
  for (const uint16_t half : w.values<uint16_t>()) values.push_back(HalfToFloat(half));
  return Constant::Own(std::move(values));
}

// [groups * O, KH, KW, C] as ONNX's [groups * C, O, KH, KW], C and O those of a group, in real
// numbers: a scale for each output channel has no dimension there that it counts along.
std::string GroupedWeights(OpContext& context, int64_t groups) {
  const Tensor& w = *context.op().inputs[1];
  const Shape& s = w.type.shape;
  if (!w.is_constant()) {
    const std::string apart = context.Emit(
        "Reshape",
        {context.Input(1), context.Ints("/groups", {groups, s[0] / groups, s[1], s[2], s[3]})}, {});
    const std::string ordered =
        context.Emit("Transpose", {apart}, {{"perm", std::vector<int64_t>{0, 4, 1, 2, 3}}});
    return context.Emit(
        "Reshape", {ordered, context.Ints("/weights", {groups * s[3], s[0] / groups, s[1], s[2]})},
        {});
  }
  const Constant real =
      ReorderedConstant(DataType::kFloat32, Shape({groups, s[0] / groups, s[1], s[2], s[3]}),
                        RealWeights(w), {0, 4, 1, 2, 3});
  std::string name = context.Name("/weights");
  context.writer().AddInitializer(name, DataType::kFloat32,
                                  Shape({groups * s[3], s[0] / groups, s[1], s[2]}), real.bytes);
  return name;
}

absl::Status WriteConvTranspose2d(OpContext& context) {
  Attributes attributes = WindowAttributes(context);
  const int64_t groups = context.attributes().Int("groups", 1);
  attributes["group"] = groups;
  attributes["output_padding"] = context.attributes().Ints("output_padding", 2, {0, 0});
  const std::string w =
      groups > 1 ? GroupedWeights(context, groups) : context.Input(1, {3, 0, 1, 2});
  OpContext::Values inputs = {context.Input(0, kNchw), w};
  if (HasOperand(context, 2)) inputs.push_back(context.Input(2));
  context.OutputClamped("ConvTranspose", inputs, attributes, kNchw);
  return absl::OkStatus();
}

absl::Status WriteFullyConnected(OpContext& context) {
  const size_t rank = context.type(0).shape.rank();
  const bool has_bias = HasOperand(context, 2);
  if (rank == 2) {
    OpContext::Values inputs = {context.Input(0), context.Input(1)};
    if (has_bias) inputs.push_back(context.Input(2));
    return WriteOutput(context, "Gemm", inputs, {{"transB", int64_t{1}}}, IdentityOrder(rank));
  }
  const OpContext::Values inputs = {context.Input(0), context.Input(1, {1, 0})};
  if (!has_bias) return WriteOutput(context, "MatMul", inputs, {}, IdentityOrder(rank));
  const std::string product = context.Emit("MatMul", inputs, {});
  return WriteOutput(context, "Add", {product, context.Input(2)}, {}, IdentityOrder(rank));
}

absl::Status WriteMatmul(OpContext& context) {
  const Order order = IdentityOrder(context.output_type().shape.rank());
  const std::string a = context.Input(0);
  if (context.attributes().Int("normalize", 0) == 0) {
    context.Output("MatMul", {a, context.Input(1)}, {}, order);
    return absl::OkStatus();
  }
  const std::string products = context.Emit("MatMul", {a, context.Input(1)}, {});
  const std::string weights = context.Emit(context.Reduction("ReduceSum", a, {-1}, 1));
  context.Output("Div", {products, weights}, {}, order);
  return absl::OkStatus();
}

constexpr OpMapping kLinearMappings[] = {
    {"conv2d", WriteConv2d},
    {"depthwise_conv2d", WriteDepthwiseConv2d},
    {"conv_transpose2d", WriteConvTranspose2d},
    {"fully_connected", WriteFullyConnected},
    {"matmul", WriteMatmul},
};

}  // namespace

absl::Span<const OpMapping> LinearMappings() { return kLinearMappings; }

}  // namespace synap_internal::onnx_export
