#include "compiler/export/tflite/real_functions.h"

#include <cstddef>
#include <iterator>

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// Operators over float32 of one shape and scalars. Arguments of a call don't write operators, as
// their order would be the compiler's.
class RealMath {
 public:
  RealMath(OpContext& context, Value x) : context_(context), shape_(context.type(x).shape) {}

  Value Function(BuiltinOperator code, Value x) { return context_.EmitReal(code, {x}, shape_); }
  Value Pair(BuiltinOperator code, Value a, Value b) {
    return context_.EmitReal(code, {a, b}, shape_);
  }
  Value Pair(BuiltinOperator code, Value a, float b) { return Pair(code, a, Number(b)); }
  Value Pair(BuiltinOperator code, float a, Value b) { return Pair(code, Number(a), b); }
  Value Add(Value a, Value b) { return Pair(BuiltinOperator::ADD, a, b); }
  Value Add(Value a, float b) { return Pair(BuiltinOperator::ADD, a, b); }
  Value Mul(Value a, Value b) { return Pair(BuiltinOperator::MUL, a, b); }
  Value Mul(Value a, float b) { return Pair(BuiltinOperator::MUL, a, b); }
  Value Number(float value) { return context_.Float("/number", value); }

  Value Exp(Value x) { return Function(BuiltinOperator::EXP, x); }
  Value Log(Value x) { return Function(BuiltinOperator::LOG, x); }
  Value Abs(Value x) { return Function(BuiltinOperator::ABS, x); }
  Value Neg(Value x) { return Function(BuiltinOperator::NEG, x); }
  Value Sqrt(Value x) { return Function(BuiltinOperator::SQRT, x); }
  Value Square(Value x) { return Function(BuiltinOperator::SQUARE, x); }

 private:
  OpContext& context_;
  const Shape shape_;
};

}  // namespace

Value RealElu(OpContext& context, Value x, float alpha) {
  RealMath math(context, x);
  const Value below = math.Exp(math.Pair(BuiltinOperator::MINIMUM, x, 0.0f));
  const Value curve = math.Mul(math.Add(below, -1.0f), alpha);
  const Value line = math.Function(BuiltinOperator::RELU, x);
  return math.Add(line, curve);
}

Value RealHardSigmoid(OpContext& context, Value x, float alpha, float beta) {
  RealMath math(context, x);
  return math.Function(BuiltinOperator::RELU_0_TO_1, math.Add(math.Mul(x, alpha), beta));
}

Value RealErf(OpContext& context, Value x) {
  // From the highest power of t down.
  constexpr float kCoefficients[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
                                     0.254829592f};
  RealMath math(context, x);
  const Value magnitude = math.Abs(x);
  const Value divisor = math.Add(math.Mul(magnitude, 0.3275911f), 1.0f);
  const Value t = math.Pair(BuiltinOperator::DIV, 1.0f, divisor);
  Value sum = math.Mul(t, kCoefficients[0]);
  for (size_t i = 1; i < std::size(kCoefficients); ++i) {
    sum = math.Mul(math.Add(sum, kCoefficients[i]), t);
  }
  const Value bell = math.Exp(math.Neg(math.Square(x)));
  const Value positive = math.Pair(BuiltinOperator::SUB, 1.0f, math.Mul(sum, bell));
  const Value sign = math.Function(BuiltinOperator::SIGN, x);
  return math.Mul(sign, positive);
}

Value RealSoftplus(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value small = math.Exp(math.Neg(math.Abs(x)));
  const Value bend = math.Log(math.Add(small, 1.0f));
  const Value line = math.Function(BuiltinOperator::RELU, x);
  return math.Add(line, bend);
}

Value RealMish(OpContext& context, Value x) {
  RealMath math(context, x);
  return math.Mul(math.Function(BuiltinOperator::TANH, RealSoftplus(context, x)), x);
}

Value RealReciprocal(OpContext& context, Value x) {
  return RealMath(context, x).Pair(BuiltinOperator::DIV, 1.0f, x);
}

Value RealTan(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value sine = math.Function(BuiltinOperator::SIN, x);
  const Value cosine = math.Function(BuiltinOperator::COS, x);
  return math.Pair(BuiltinOperator::DIV, sine, cosine);
}

// (e^x - e^-x) / 2
Value RealSinh(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value rise = math.Exp(x), fall = math.Exp(math.Neg(x));
  return math.Mul(math.Pair(BuiltinOperator::SUB, rise, fall), 0.5f);
}

// (e^x + e^-x) / 2
Value RealCosh(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value rise = math.Exp(x), fall = math.Exp(math.Neg(x));
  return math.Mul(math.Add(rise, fall), 0.5f);
}

// sign(x) * log(|x| + sqrt(x^2 + 1))
Value RealAsinh(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value root = math.Sqrt(math.Add(math.Square(x), 1.0f));
  const Value magnitude = math.Log(math.Add(root, math.Abs(x)));
  const Value sign = math.Function(BuiltinOperator::SIGN, x);
  return math.Mul(sign, magnitude);
}

// log(x + sqrt(x^2 - 1))
Value RealAcosh(OpContext& context, Value x) {
  RealMath math(context, x);
  return math.Log(math.Add(x, math.Sqrt(math.Add(math.Square(x), -1.0f))));
}

// log((1 + x) / (1 - x)) / 2
Value RealAtanh(OpContext& context, Value x) {
  RealMath math(context, x);
  const Value below = math.Pair(BuiltinOperator::SUB, 1.0f, x);
  const Value above = math.Add(x, 1.0f);
  const Value ratio = math.Pair(BuiltinOperator::DIV, above, below);
  return math.Mul(math.Log(ratio), 0.5f);
}

}  // namespace synap_internal::tflite_export
