// Elementary float functions with the same bits on every machine: IEEE
// operations and std::fma in a fixed order, never libm, whose results differ
// between versions. kernels/shared/simd/math-inl.h has the same functions over vectors,
// operation by operation; docs/numerics.md states the policy.
//
// Accuracy against the exact value is in units in the last place of the result
// (base/float_math_test.cc holds the functions to it). NaN gives NaN.
//
// All functions are pure and may be called from any thread.
#ifndef BASE_FLOAT_MATH_H_
#define BASE_FLOAT_MATH_H_

namespace synap_internal {

// e^x; 1 ulp. Above 88.73 infinity, below -103.98 zero, subnormals in between.
float Exp(float x);

// e^x - 1 for x <= 0; 2 ulp. REQUIRES: x <= 0 or NaN.
float ExpMinus1(float x);

// Natural logarithm; 1 ulp. log(0) = -infinity, below 0 NaN.
float Log(float x);

// 2 ulp.
float Tanh(float x);

// 1 / (1 + e^-x); 2.5 ulp on both sides, subnormals included.
float Sigmoid(float x);

// The error function; 2 ulp.
float Erf(float x);

// log(1 + e^x); 3 ulp.
float Softplus(float x);

// x * tanh(softplus(x)); 4 ulp.
float Mish(float x);

// x * Phi(x) with the normal distribution function Phi: x / 2 * (1 + erf(x / sqrt 2)).
// `approximate` is the form x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
// The absolute error is below 2e-7 * max(1, |x|).
float Gelu(float x);
float GeluApproximate(float x);

// x^y; 1 ulp. The cases of IEEE 754: pow(x, 0) = pow(1, y) = 1 even for NaN,
// a negative base takes integers only (else NaN), pow(0, y < 0) is infinite with
// the sign of an odd y. y = 2 is exactly x * x and y = 0.5 the rounded square root.
float Pow(float x, float y);

// Integer division. The quotient rounds to zero; the remainder has the sign of
// the divisor (floored division), as ONNX's Mod with fmod = 0. Division by 0
// gives 0, and the most negative number by -1 wraps, because a kernel can't fail.
template <typename T>
T TruncatedDivide(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<T>(-static_cast<unsigned long long>(a));
  return a / b;
}
template <typename T>
T FlooredRemainder(T a, T b) {
  if (b == 0 || b == -1) return 0;
  const T remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace synap_internal

#endif  // BASE_FLOAT_MATH_H_
