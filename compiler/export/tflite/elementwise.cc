// Ops of two or more operands that broadcast.
#include <algorithm>
#include <iterator>

#include "base/status_macros.h"
#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::Activation;
using tflite::BuiltinOperator;

absl::Status WriteAdd(OpContext& context) {
  context.OutputClamped(BuiltinOperator::ADD, {context.Input(0), context.Input(1)},
                        MakeActivated([](FileBuilder& builder, Activation activation) {
                          return tflite::CreateAddOptions(builder, activation,
                                                          /*pot_scale_int16=*/false);
                        }));
  return absl::OkStatus();
}

absl::Status WriteSub(OpContext& context) {
  context.OutputClamped(BuiltinOperator::SUB, {context.Input(0), context.Input(1)},
                        MakeActivated([](FileBuilder& builder, Activation activation) {
                          return tflite::CreateSubOptions(builder, activation,
                                                          /*pot_scale_int16=*/false);
                        }));
  return absl::OkStatus();
}

absl::Status WriteMul(OpContext& context) {
  context.OutputClamped(BuiltinOperator::MUL, {context.Input(0), context.Input(1)},
                        MakeActivated([](FileBuilder& builder, Activation activation) {
                          return tflite::CreateMulOptions(builder, activation);
                        }));
  return absl::OkStatus();
}

template <BuiltinOperator kCode>
absl::Status WritePair(OpContext& context) {
  context.Output(kCode, {context.Input(0), context.Input(1)});
  return absl::OkStatus();
}

// The larger or the smaller one, of integers that count in the same steps.
template <BuiltinOperator kCode>
absl::Status WriteExtreme(OpContext& context) {
  context.Output(kCode, {context.InputAsOutput(0), context.InputAsOutput(1)});
  return absl::OkStatus();
}

// The remainder of integers has the sign of the divisor, that of floats the sign of the dividend:
// a - b * trunc(a / b), trunc(q) = sign(q) * floor(|q|).
absl::Status WriteMod(OpContext& context) {
  const Value a = context.Input(0), b = context.Input(1);
  if (context.type(a).dtype != DataType::kFloat32) {
    context.Output(BuiltinOperator::FLOOR_MOD, {a, b});
    return absl::OkStatus();
  }
  const Shape& shape = context.output_shape();
  const Value quotient = context.EmitReal(BuiltinOperator::DIV, {a, b}, shape);
  const Value magnitude = context.EmitReal(BuiltinOperator::ABS, {quotient}, shape);
  const Value whole = context.EmitReal(BuiltinOperator::FLOOR, {magnitude}, shape);
  const Value sign = context.EmitReal(BuiltinOperator::SIGN, {quotient}, shape);
  const Value truncated = context.EmitReal(BuiltinOperator::MUL, {whole, sign}, shape);
  const Value multiple = context.EmitReal(BuiltinOperator::MUL, {truncated, b}, shape);
  context.Output(BuiltinOperator::SUB, {a, multiple});
  return absl::OkStatus();
}

absl::Status WriteWhere(OpContext& context) {
  context.Output(BuiltinOperator::SELECT_V2,
                 {context.Input(0), context.InputAsOutput(1), context.InputAsOutput(2)});
  return absl::OkStatus();
}

// Kernels compare stored words, without their quantizers.
absl::StatusOr<Integers> ComparableIntegers(const Op& op) {
  const bool same = op.inputs[0]->type.quant == op.inputs[1]->type.quant;
  return same ? kAllIntegers : kBytes;
}

constexpr OpMapping kElementwiseMappings[] = {
    {.op = "add", .write = WriteAdd, .integers = kAllIntegers},
    {.op = "sub", .write = WriteSub, .integers = kAllIntegers},
    {.op = "mul", .write = WriteMul, .integers = kAllIntegers},
    {.op = "div",
     .write = WritePair<BuiltinOperator::DIV>,
     .integers = kUnsignedBytes,
     .plain_bits = 32},
    {.op = "minimum", .write = WriteExtreme<BuiltinOperator::MINIMUM>, .integers = kAllIntegers},
    {.op = "maximum", .write = WriteExtreme<BuiltinOperator::MAXIMUM>, .integers = kAllIntegers},
    {.op = "pow", .write = WritePair<BuiltinOperator::POW>},
    {.op = "mod", .write = WriteMod},
    {.op = "equal",
     .write = WritePair<BuiltinOperator::EQUAL>,
     .integers = kAllIntegers,
     .restrict = ComparableIntegers},
    {.op = "less",
     .write = WritePair<BuiltinOperator::LESS>,
     .integers = kAllIntegers,
     .restrict = ComparableIntegers},
    {.op = "greater", .write = WritePair<BuiltinOperator::GREATER>, .integers = kBytes},
    {.op = "prelu", .write = WritePair<BuiltinOperator::PRELU>, .integers = kBytes},
    {.op = "where", .write = WriteWhere, .integers = kAllIntegers},
};

}  // namespace

absl::Span<const OpMapping> ElementwiseMappings() { return kElementwiseMappings; }

}  // namespace synap_internal::tflite_export
