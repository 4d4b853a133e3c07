#include "compiler/export/tflite/op_context.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "compiler/export/tflite/file_type.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::Activation;
using tflite::BuiltinOperator;

// Bytes are this much finer in 16 bits: 255 steps of them are 32,640.
constexpr float kFinerSteps = 128;

// The activation that is this clamp; nullopt if none is.
std::optional<Activation> ActivationOf(const Clamp& clamp) {
  const bool has_max = !std::isinf(clamp.max);
  if (std::isinf(clamp.min) && !has_max) return Activation::NONE;
  if (clamp.min == 0 && !has_max) return Activation::RELU;
  if (clamp.min == 0 && clamp.max == 6) return Activation::RELU6;
  if (clamp.min == -1 && clamp.max == 1) return Activation::RELU_N1_TO_1;
  return std::nullopt;
}

template <typename T>
Constant OneElement(T value) {
  return Constant::Own(std::vector<T>{value});
}

Constant StoredInteger(DataType type, int32_t value) {
  if (type == DataType::kInt16) return OneElement(static_cast<int16_t>(value));
  return OneElement(static_cast<uint8_t>(value));
}

// Whether all types of an op are finer in its arithmetic.
bool IsWidened(const TensorType& type, Arithmetic arithmetic) {
  return arithmetic == DataType::kInt16 && IsQuantizedByte(type);
}

}  // namespace

TensorType OpContext::InputType(size_t operand) const {
  const TensorType type = BorderType(op_.inputs[operand]->type);
  if (!type.quant.quantized()) return type;
  if (!integers()) return {DataType::kFloat32, type.shape, {}};
  return IsWidened(type, arithmetic_) ? Widened(type) : AsBytes(type, arithmetic_);
}

TensorType OpContext::OutputType() const {
  const TensorType type = BorderType(op_.output()->type);
  if (!type.quant.quantized()) return type;
  if (!integers()) return {DataType::kFloat32, type.shape, {}};
  if (!IsWidened(type, arithmetic_)) return AsBytes(type, arithmetic_);
  return {DataType::kInt16, type.shape, QuantParams::Affine(type.quant.scale() / kFinerSteps, 0)};
}

Value OpContext::InputBy(size_t operand, const QuantParams& quant) {
  TensorType type = InputType(operand);
  if (type.quant.quantized()) type.quant = quant;
  return values_.As(op_.inputs[operand], type);
}

std::string OpContext::Name(absl::string_view suffix) {
  return writer_.UniqueName(absl::StrCat(op_.output()->name, suffix));
}

Value OpContext::AddConstant(absl::string_view suffix, TensorType type, Constant data) {
  return writer_.AddConstant(Name(suffix), std::move(type), std::move(data));
}

Value OpContext::Ints(absl::string_view suffix, const std::vector<int64_t>& values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  const Shape list({static_cast<int64_t>(narrow.size())});
  return AddConstant(suffix, {DataType::kInt32, list, {}}, Constant::Own(narrow));
}

Value OpContext::PadPairs(const std::vector<int64_t>& pads) {
  const size_t rank = pads.size() / 2;
  std::vector<int32_t> pairs;
  for (size_t i = 0; i < rank; ++i) {
    pairs.push_back(static_cast<int32_t>(pads[i]));
    pairs.push_back(static_cast<int32_t>(pads[rank + i]));
  }
  const Shape shape({static_cast<int64_t>(rank), 2});
  return AddConstant("/pads", {DataType::kInt32, shape, {}}, Constant::Own(pairs));
}

Value OpContext::Int(absl::string_view suffix, int64_t value) {
  return AddConstant(suffix, {DataType::kInt32, Shape(), {}},
                     OneElement(static_cast<int32_t>(value)));
}

Value OpContext::Float(absl::string_view suffix, float value) {
  return AddConstant(suffix, {DataType::kFloat32, Shape(), {}}, OneElement(value));
}

Value OpContext::Number(absl::string_view suffix, float value, const QuantParams& quant) {
  if (!integers() || !quant.quantized()) return Float(suffix, value);
  const IntegerRange range = RangeOf(arithmetic_);
  const int32_t stored =
      QuantizeValue(value, quant.scale(), quant.zero_point(), static_cast<int32_t>(range.min),
                    static_cast<int32_t>(range.max));
  return AddConstant(suffix, {arithmetic_, Shape(), quant}, StoredInteger(arithmetic_, stored));
}

Value OpContext::Emit(BuiltinOperator code, const Values& inputs, TensorType type,
                      Options options) {
  const absl::string_view name = tflite::EnumNameBuiltinOperator(code);
  const Value value = writer_.AddTensor(Name(absl::StrCat("/", name)), std::move(type));
  writer_.AddOperator(code, inputs, {value}, std::move(options));
  return value;
}

Value OpContext::EmitLike(BuiltinOperator code, const Values& inputs, Value like,
                          const Shape& shape, Options options) {
  return Emit(code, inputs, {type(like).dtype, shape, type(like).quant}, std::move(options));
}

Value OpContext::EmitReal(BuiltinOperator code, const Values& inputs, const Shape& shape,
                          Options options) {
  return Emit(code, inputs, {DataType::kFloat32, shape, {}}, std::move(options));
}

Value OpContext::EmitSecond(BuiltinOperator code, const Values& inputs, TensorType first,
                            TensorType second, Options options) {
  const absl::string_view name = tflite::EnumNameBuiltinOperator(code);
  const Value unread = writer_.AddTensor(Name(absl::StrCat("/", name)), std::move(first));
  const Value value = writer_.AddTensor(Name(absl::StrCat("/", name)), std::move(second));
  writer_.AddOperator(code, inputs, {unread, value}, std::move(options));
  return value;
}

Value OpContext::Reshape(Value value, const Shape& shape) {
  return EmitLike(BuiltinOperator::RESHAPE, {value, Ints("/shape", shape.dims())}, value, shape,
                  ReshapeTo(shape));
}

Value OpContext::Slice(Value value, const std::vector<int64_t>& begin, const Shape& size) {
  const Values inputs = {value, Ints("/begin", begin), Ints("/size", size.dims())};
  return EmitLike(BuiltinOperator::SLICE, inputs, value, size);
}

void OpContext::OutputOf(BuiltinOperator code, const Values& inputs, TensorType made,
                         Options options) {
  const Value value = values_.MakeOutput(op_.output(), made);
  writer_.AddOperator(code, inputs, {value}, std::move(options));
  values_.Bind(op_.output(), value);
}

void OpContext::Output(BuiltinOperator code, const Values& inputs, Options options) {
  OutputOf(code, inputs, OutputType(), std::move(options));
}

void OpContext::OutputLikeInput(BuiltinOperator code, const Values& inputs, Options options) {
  TensorType made = OutputType();
  made.quant = InputType(0).quant;
  OutputOf(code, inputs, std::move(made), std::move(options));
}

bool OpContext::IsImplied(float bound, bool is_min) const {
  if (!integers() || std::isinf(bound)) return false;
  const TensorType type = BorderType(op_.output()->type);
  const IntegerRange range = RangeOf(type.dtype);
  const int32_t stored =
      QuantizeValue(bound, type.quant.scale(), type.quant.zero_point(),
                    static_cast<int32_t>(range.min), static_cast<int32_t>(range.max));
  return stored == (is_min ? range.min : range.max);
}

Clamp OpContext::ExplicitClamp(const Clamp& clamp) const {
  const Clamp unbounded;
  return {IsImplied(clamp.min, true) ? unbounded.min : clamp.min,
          IsImplied(clamp.max, false) ? unbounded.max : clamp.max};
}

Clamp OpContext::ReadClamp() {
  const Clamp unbounded;
  return {reader_.Float("min", unbounded.min), reader_.Float("max", unbounded.max)};
}

void OpContext::OutputClamped(BuiltinOperator code, const Values& inputs,
                              const ActivatedOptions& options) {
  Clamp clamp = ReadClamp();
  std::optional<Activation> activation = ActivationOf(clamp);
  if (!activation.has_value()) {
    clamp = ExplicitClamp(clamp);
    activation = ActivationOf(clamp);
  }
  if (activation.has_value()) return Output(code, inputs, options(*activation));
  OutputClamp(Emit(code, inputs, OutputType(), options(Activation::NONE)), clamp);
}

void OpContext::OutputClamp(Value value, const Clamp& clamp) {
  const TensorType made = type(value);
  const bool has_max = !std::isinf(clamp.max);
  if (!std::isinf(clamp.min)) {
    const Values operands = {value, Number("/min", clamp.min, made.quant)};
    if (!has_max) return OutputOf(BuiltinOperator::MAXIMUM, operands, made);
    value = Emit(BuiltinOperator::MAXIMUM, operands, made);
  }
  OutputOf(BuiltinOperator::MINIMUM, {value, Number("/max", clamp.max, made.quant)}, made);
}

void OpContext::OutputClampOf(Value value) {
  const Clamp clamp = ExplicitClamp(ReadClamp());
  if (std::isinf(clamp.min) && std::isinf(clamp.max)) return Finish(value);
  OutputClamp(value, clamp);
}

void OpContext::OutputCopy(size_t operand) {
  if (integers()) return values_.BindConverted(op_.output(), Input(operand));
  const Value value = Input(operand);
  const std::vector<int64_t>& dims = output_shape().dims();
  OutputOf(BuiltinOperator::RESHAPE, {value, Ints("/shape", dims)}, OutputType(),
           ReshapeTo(output_shape()));
}

}  // namespace synap_internal::tflite_export
