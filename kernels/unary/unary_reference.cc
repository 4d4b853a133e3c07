#include "kernels/unary/unary.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "base/float_math.h"
#include "base/rounding.h"
#include "base/trigonometry.h"

namespace synap_internal {
namespace {

float Clip(float x, float min, float max) { return x < min ? min : x > max ? max : x; }

}  // namespace

float EvaluateUnary(const UnaryParams& p, float x) {
  switch (p.function) {
    case UnaryFunction::kRelu:
      return x < 0 ? 0.0f : x;
    case UnaryFunction::kRelu6:
      return Clip(x, 0, 6);
    case UnaryFunction::kClip:
      return Clip(x, p.alpha, p.beta);
    case UnaryFunction::kLeakyRelu:
      return x < 0 ? p.alpha * x : x;
    case UnaryFunction::kSigmoid:
      return Sigmoid(x);
    case UnaryFunction::kHardSigmoid:
      return Clip(std::fma(p.alpha, x, p.beta), 0, 1);
    case UnaryFunction::kTanh:
      return Tanh(x);
    case UnaryFunction::kSilu:
      // Which of two NaNs a product gives depends on the processor and the operands' order.
      return std::isnan(x) ? x : x * Sigmoid(x);
    case UnaryFunction::kHardSwish:
      return x * Clip(std::fma(1.0f / 6.0f, x, 0.5f), 0, 1);
    case UnaryFunction::kGelu:
      return Gelu(x);
    case UnaryFunction::kGeluApproximate:
      return GeluApproximate(x);
    case UnaryFunction::kErf:
      return Erf(x);
    case UnaryFunction::kElu:
      return x < 0 ? p.alpha * ExpMinus1(x) : x;
    case UnaryFunction::kMish:
      return Mish(x);
    case UnaryFunction::kSoftplus:
      return Softplus(x);
    case UnaryFunction::kExp:
      return Exp(x);
    case UnaryFunction::kLog:
      return Log(x);
    case UnaryFunction::kSqrt:
      return std::sqrt(x);
    case UnaryFunction::kRsqrt:
      return 1.0f / std::sqrt(x);
    case UnaryFunction::kReciprocal:
      return 1.0f / x;
    case UnaryFunction::kSquare:
      return x * x;
    case UnaryFunction::kAbs:
      return std::fabs(x);
    case UnaryFunction::kNeg:
      return -x;
    case UnaryFunction::kSign:
      return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
    case UnaryFunction::kFloor:
      return std::floor(x);
    case UnaryFunction::kCeil:
      return std::ceil(x);
    case UnaryFunction::kRound:
      return RoundHalfEven(x);
    case UnaryFunction::kSin:
      return Sin(x);
    case UnaryFunction::kCos:
      return Cos(x);
    case UnaryFunction::kTan:
      return Tan(x);
    case UnaryFunction::kAsin:
      return Asin(x);
    case UnaryFunction::kAcos:
      return Acos(x);
    case UnaryFunction::kAtan:
      return Atan(x);
    case UnaryFunction::kSinh:
      return Sinh(x);
    case UnaryFunction::kCosh:
      return Cosh(x);
    case UnaryFunction::kAsinh:
      return Asinh(x);
    case UnaryFunction::kAcosh:
      return Acosh(x);
    case UnaryFunction::kAtanh:
      return Atanh(x);
    case UnaryFunction::kLogicalNot:
      return x == 0;
  }
  CHECK(false);
}

namespace unary {
namespace {

template <typename T>
void IntegerReference(const UnaryParams& p, const T* x, T* out, int64_t n) {
  using Unsigned = std::make_unsigned_t<T>;  // wraps
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i];
    const auto bits = static_cast<Unsigned>(value);
    switch (p.function) {
      case UnaryFunction::kAbs:
        out[i] = static_cast<T>(value < 0 ? Unsigned{0} - bits : bits);
        break;
      case UnaryFunction::kNeg:
        out[i] = static_cast<T>(Unsigned{0} - bits);
        break;
      case UnaryFunction::kSign:
        out[i] = value > 0 ? 1 : value < 0 ? -1 : 0;
        break;
      case UnaryFunction::kSquare:
        out[i] = static_cast<T>(bits * bits);
        break;
      default:
        CHECK(false);
    }
  }
}

}  // namespace

void Reference(const UnaryParams& params, const float* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = EvaluateUnary(params, x[i]);
}

void ReferenceInt32(const UnaryParams& params, const int32_t* x, int32_t* out, int64_t n) {
  IntegerReference(params, x, out, n);
}

void ReferenceInt64(const UnaryParams& params, const int64_t* x, int64_t* out, int64_t n) {
  IntegerReference(params, x, out, n);
}

std::array<uint8_t, 256> ReferenceTable(const UnaryParams& params, const QuantParams& in,
                                        const QuantParams& out) {
  std::array<uint8_t, 256> table;
  for (int32_t q = 0; q < 256; ++q) {
    const float y = EvaluateUnary(params, DequantizeValue(q, in.scale(), in.zero_point()));
    table[static_cast<size_t>(q)] =
        static_cast<uint8_t>(QuantizeValue(y, out.scale(), out.zero_point(), 0, 255));
  }
  return table;
}

}  // namespace unary
}  // namespace synap_internal
