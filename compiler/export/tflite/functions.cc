// Functions of one operand.
#include <cmath>
#include <optional>
#include <vector>

#include "base/status_macros.h"
#include "compiler/export/tflite/op_table.h"
#include "compiler/export/tflite/real_functions.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

template <BuiltinOperator kCode>
absl::Status WriteFunction(OpContext& context) {
  context.Output(kCode, {context.Input(0)});
  return absl::OkStatus();
}

// A function whose kernels of integers give one quantizer only: [low, 1) in as many steps as
// there are integers; int16 has steps of 2^-15 in any case.
Value EmitBetween(OpContext& context, BuiltinOperator code, const std::vector<Value>& inputs,
                  float low, bool last, Options options = nullptr) {
  TensorType made = context.OutputType();
  if (context.arithmetic() == DataType::kInt16) {
    made.quant = QuantParams::Affine(1.0f / 32768, 0);
  } else if (context.integers()) {
    const float scale = low < 0 ? 1.0f / 128 : 1.0f / 256;
    const int32_t middle = context.arithmetic() == DataType::kInt8 ? 0 : 128;
    made.quant = QuantParams::Affine(scale, low < 0 ? middle : middle - 128);
  }
  if (!last) return context.Emit(code, inputs, made, options);
  context.OutputOf(code, inputs, made, options);
  return kAbsent;
}

absl::Status WriteSigmoid(OpContext& context) {
  EmitBetween(context, BuiltinOperator::LOGISTIC, {context.Input(0)}, 0, true);
  return absl::OkStatus();
}

absl::Status WriteTanh(OpContext& context) {
  EmitBetween(context, BuiltinOperator::TANH, {context.Input(0)}, -1, true);
  return absl::OkStatus();
}

// x * sigmoid(x)
absl::Status WriteSilu(OpContext& context) {
  const Value x = context.Input(0);
  const Value sigmoid = EmitBetween(context, BuiltinOperator::LOGISTIC, {x}, 0, false);
  context.Output(BuiltinOperator::MUL, {x, sigmoid});
  return absl::OkStatus();
}

// The operator that is nothing but this clamp, in the arithmetic; nullopt if there is none.
std::optional<BuiltinOperator> ClampOperator(const Clamp& clamp, bool is_words) {
  if (clamp.min == 0 && std::isinf(clamp.max)) return BuiltinOperator::RELU;
  if (clamp.min == 0 && clamp.max == 6) return BuiltinOperator::RELU6;
  if (clamp.min == 0 && clamp.max == 1 && !is_words) return BuiltinOperator::RELU_0_TO_1;
  if (clamp.min == -1 && clamp.max == 1 && !is_words) return BuiltinOperator::RELU_N1_TO_1;
  return std::nullopt;
}

absl::Status WriteClip(OpContext& context) {
  const Clamp unbounded;
  const Clamp clamp = {context.attributes().Float("min", unbounded.min),
                       context.attributes().Float("max", unbounded.max)};
  RETURN_IF_ERROR(context.attributes().Finish());
  const std::optional<BuiltinOperator> code =
      ClampOperator(clamp, context.arithmetic() == DataType::kInt16);
  if (code.has_value()) {
    context.Output(*code, {context.Input(0)});
    return absl::OkStatus();
  }
  const Clamp explicit_clamp = context.ExplicitClamp(clamp);
  if (std::isinf(explicit_clamp.min) && std::isinf(explicit_clamp.max)) {
    context.OutputCopy(0);
  } else {
    context.OutputClamp(context.InputAsOutput(0), explicit_clamp);
  }
  return absl::OkStatus();
}

absl::Status WriteLeakyRelu(OpContext& context) {
  const float alpha = context.attributes().Float("alpha", 0.01f);
  context.Output(BuiltinOperator::LEAKY_RELU, {context.Input(0)},
                 MakeOptions([alpha](FileBuilder& builder) {
                   return tflite::CreateLeakyReluOptions(builder, alpha);
                 }));
  return absl::OkStatus();
}

absl::Status WriteGelu(OpContext& context) {
  const bool approximate = context.attributes().Int("approximate", 0) != 0;
  context.Output(BuiltinOperator::GELU, {context.Input(0)},
                 MakeOptions([approximate](FileBuilder& builder) {
                   return tflite::CreateGeluOptions(builder, approximate);
                 }));
  return absl::OkStatus();
}

absl::Status WriteElu(OpContext& context) {
  const float alpha = context.attributes().Float("alpha", 1.0f);
  if (alpha == 1) return WriteFunction<BuiltinOperator::ELU>(context);
  context.Finish(RealElu(context, context.Input(0), alpha));
  return absl::OkStatus();
}

absl::Status WriteHardSigmoid(OpContext& context) {
  const float alpha = context.attributes().Float("alpha", 0.2f);
  const float beta = context.attributes().Float("beta", 0.5f);
  context.Finish(RealHardSigmoid(context, context.Input(0), alpha, beta));
  return absl::OkStatus();
}

template <Value (*kFunction)(OpContext&, Value)>
absl::Status WriteReal(OpContext& context) {
  context.Finish(kFunction(context, context.Input(0)));
  return absl::OkStatus();
}

absl::StatusOr<Integers> EluIntegers(const Op& op) {
  return AttributeReader(op.attributes).Float("alpha", 1.0f) == 1 ? kSignedBytes : kNoIntegers;
}

// Kernels of int16 exist for EXP, LOG and RSQRT, but they are up to thousands of steps off: tables
// of 513 entries.
constexpr OpMapping kFunctionMappings[] = {
    {.op = "relu", .write = WriteFunction<BuiltinOperator::RELU>, .integers = kAllIntegers},
    {.op = "relu6", .write = WriteFunction<BuiltinOperator::RELU6>, .integers = kAllIntegers},
    {.op = "clip", .write = WriteClip, .integers = kAllIntegers},
    {.op = "leaky_relu", .write = WriteLeakyRelu, .integers = kAllIntegers},
    {.op = "sigmoid", .write = WriteSigmoid, .integers = kAllIntegers},
    {.op = "hard_sigmoid", .write = WriteHardSigmoid},
    {.op = "tanh", .write = WriteTanh, .integers = kAllIntegers},
    {.op = "silu", .write = WriteSilu, .integers = kAllIntegers},
    {.op = "hard_swish", .write = WriteFunction<BuiltinOperator::HARD_SWISH>, .integers = kBytes},
    {.op = "gelu", .write = WriteGelu, .integers = kBytes},
    {.op = "elu", .write = WriteElu, .integers = kSignedBytes, .restrict = EluIntegers},
    {.op = "erf", .write = WriteReal<RealErf>},
    {.op = "mish", .write = WriteReal<RealMish>},
    {.op = "softplus", .write = WriteReal<RealSoftplus>},
    {.op = "exp", .write = WriteFunction<BuiltinOperator::EXP>, .integers = kSignedBytes},
    {.op = "log", .write = WriteFunction<BuiltinOperator::LOG>, .integers = kSignedBytes},
    {.op = "sqrt", .write = WriteFunction<BuiltinOperator::SQRT>},
    {.op = "rsqrt", .write = WriteFunction<BuiltinOperator::RSQRT>, .integers = kSignedBytes},
    {.op = "reciprocal", .write = WriteReal<RealReciprocal>},
    {.op = "square", .write = WriteFunction<BuiltinOperator::SQUARE>, .plain_bits = 0},
    {.op = "abs",
     .write = WriteFunction<BuiltinOperator::ABS>,
     .integers = kSignedBytes | kWords,
     .plain_bits = 32},
    {.op = "neg", .write = WriteFunction<BuiltinOperator::NEG>},
    {.op = "sign", .write = WriteFunction<BuiltinOperator::SIGN>, .plain_bits = 32},
    {.op = "floor", .write = WriteFunction<BuiltinOperator::FLOOR>},
    {.op = "ceil", .write = WriteFunction<BuiltinOperator::CEIL>},
    {.op = "round", .write = WriteFunction<BuiltinOperator::ROUND>},
    {.op = "sin", .write = WriteFunction<BuiltinOperator::SIN>},
    {.op = "cos", .write = WriteFunction<BuiltinOperator::COS>},
    {.op = "tan", .write = WriteReal<RealTan>},
    {.op = "sinh", .write = WriteReal<RealSinh>},
    {.op = "cosh", .write = WriteReal<RealCosh>},
    {.op = "asinh", .write = WriteReal<RealAsinh>},
    {.op = "acosh", .write = WriteReal<RealAcosh>},
    {.op = "atanh", .write = WriteReal<RealAtanh>},
    {.op = "logical_not", .write = WriteFunction<BuiltinOperator::LOGICAL_NOT>},
};

}  // namespace

absl::Span<const OpMapping> FunctionMappings() { return kFunctionMappings; }

}  // namespace synap_internal::tflite_export
