// Conversions between element types, and the tables of 8-bit functions.
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"

namespace synap_internal::onnx_export {
namespace {

absl::Status WriteCast(OpContext& context) {
  ASSIGN_OR_RETURN(const DataType to, ParseDataType(context.attributes().RequiredString("to")));
  const Order order = context.CheapOrder();
  // A cast reads the stored integers, whatever their quantizer.
  const Tensor* x = context.op().inputs[0];
  const bool half = x->type.dtype == DataType::kFloat16;
  const std::string value =
      half ? context.views().Real(x, order) : context.views().Stored(x, order);
  const bool is_real = half || x->type.dtype == DataType::kFloat32;
  if (to == DataType::kFloat16 && is_real) {
    context.views().BindReal(context.op().output(), order, value);
  } else {
    context.OutputStored("Cast", {value}, {{"to", int64_t{OnnxType(to)}}}, order);
  }
  return absl::OkStatus();
}

// The operand's real numbers become the output's integers, or stay what they are where a profile
// has them as float32.
absl::Status WriteRequantize(OpContext& context) {
  const Order order = context.CheapOrder();
  const std::string real = context.Input(0, order);
  if (IsConverted(context.output_type())) {
    context.views().BindReal(context.op().output(), order, real);
  } else {
    context.OutputStored("Identity", {real}, {}, order);
  }
  return absl::OkStatus();
}

absl::Status WriteDequantize(OpContext& context) {
  const Order order = context.CheapOrder();
  const Tensor* x = context.op().inputs[0];
  if (!IsConverted(x->type)) return WriteRequantize(context);
  OpContext::Values operands = {context.views().Stored(x, order)};
  for (const std::string& operand : context.views().Quantizer(x)) operands.push_back(operand);
  Attributes attributes;
  if (x->type.quant.scheme == QuantScheme::kPerChannelSymmetric) {
    attributes["axis"] = AxisIn(order, x->type.quant.axis);
  }
  context.OutputStored("DequantizeLinear", operands, attributes, order);
  return absl::OkStatus();
}

absl::Status WriteLookup(OpContext& context) {
  const Order order = context.CheapOrder();
  const Op& op = context.op();
  const std::string index = context.Emit("Cast", {context.views().Stored(op.inputs[0], order)},
                                         {{"to", int64_t{onnx::TensorProto::INT64}}});
  context.OutputStored("Gather", {context.views().Stored(op.inputs[1], IdentityOrder(1)), index},
                       {}, order);
  return absl::OkStatus();
}

constexpr OpMapping kConversionMappings[] = {
    {"cast", WriteCast},
    {"quantize", WriteRequantize},
    {"requantize", WriteRequantize},
    {"dequantize", WriteDequantize},
    {"lookup", WriteLookup},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::onnx_export
