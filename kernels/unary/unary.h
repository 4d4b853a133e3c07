// Element-wise functions of one operand: out = f(x).
//
//   operands   x     output   the shape and data type of x
//
//   op            f(x)                                              attributes
//   relu          max(x, 0)
//   relu6         min(max(x, 0), 6)
//   clip          min(max(x, min), max)                             min, max
//   leaky_relu    x < 0 ? alpha x : x                               alpha (0.01)
//   sigmoid       1 / (1 + e^-x)
//   hard_sigmoid  clip(fma(alpha, x, beta), 0, 1)                   alpha (0.2), beta (0.5)
//   tanh, erf, exp, log, softplus, mish: as base/float_math.h
//   silu          x sigmoid(x)
//   hard_swish    x clip(fma(1/6, x, 1/2), 0, 1)
//   gelu          Gelu or GeluApproximate of base/float_math.h      approximate (0)
//   elu           x < 0 ? alpha (e^x - 1) : x                       alpha (1)
//   sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh: as
//   base/trigonometry.h
//   sqrt, reciprocal (1 / x), rsqrt (1 / sqrt x), square, abs, neg: IEEE
//   sign          -1, 1; zeros and NaN stay
//   floor, ceil, round (half to even)
//   logical_not   of bool
//
// float32: base/float_math.h, base/trigonometry.h and one IEEE operation for each
// operator above, fused only where the formula has fma. relu, relu6, clip,
// leaky_relu and elu give NaN for NaN, and x if both numbers are equal (so that
// relu(-0) = -0).
// uint8 (asymmetric_affine, per tensor): a table of
//   QuantizeValue(f(DequantizeValue(q, input)), output) for q = 0..255.
// int32, int64: abs, neg, sign, square only; they wrap.
//
// Constraints
//   unary_c1  x is float32 or uint8; for abs, neg, sign and square also int32
//             or int64; for logical_not bool only
//   unary_c2  clip: min <= max, neither NaN
//   unary_c3  alpha and beta are finite
#ifndef KERNELS_UNARY_UNARY_H_
#define KERNELS_UNARY_UNARY_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/quant_params.h"
#include "kernels/op_def.h"

namespace synap_internal {

enum class UnaryFunction : uint8_t {
  kRelu,
  kRelu6,
  kClip,
  kLeakyRelu,
  kSigmoid,
  kHardSigmoid,
  kTanh,
  kSilu,
  kHardSwish,
  kGelu,
  kGeluApproximate,
  kErf,
  kElu,
  kMish,
  kSoftplus,
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSquare,
  kAbs,
  kNeg,
  kSign,
  kFloor,
  kCeil,
  kRound,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kLogicalNot,
};

// A function with its attributes. alpha is also clip's min, beta its max.
struct UnaryParams {
  UnaryFunction function;
  float alpha = 0;
  float beta = 0;
};

// f(x), the meaning for floats.
float EvaluateUnary(const UnaryParams& params, float x);

// The op `name` ("silu") with its attributes, as a function of floats. NotFound if
// this folder has no such op, InvalidArgument for wrong attributes.
absl::StatusOr<UnaryParams> FloatUnary(absl::string_view name, const Attributes& attributes);

absl::Span<const OpDef> UnaryOps();

namespace unary {

using Run = void (*)(const UnaryParams& params, const float* x, float* out, int64_t n);

// References for floats, and for the integer types that some functions take.
void Reference(const UnaryParams& params, const float* x, float* out, int64_t n);
void ReferenceInt32(const UnaryParams& params, const int32_t* x, int32_t* out, int64_t n);
void ReferenceInt64(const UnaryParams& params, const int64_t* x, int64_t* out, int64_t n);
std::array<uint8_t, 256> ReferenceTable(const UnaryParams& params, const QuantParams& in,
                                        const QuantParams& out);

// The vectorized function of floats on the best target of this machine. The functions
// of base/trigonometry.h, which few networks use, have only the reference.
Run FindRun(UnaryFunction function);

}  // namespace unary
}  // namespace synap_internal

#endif  // KERNELS_UNARY_UNARY_H_
