// Trigonometric (in radians) and hyperbolic functions with the same bits on every
// machine: computed in double with IEEE operations in a fixed order and rounded
// once, within 1 ulp of the exact value. The result is NaN for NaN and outside of
// a function's domain (sin of infinity, acos of 2).
//
// All functions are pure and may be called from any thread.
#ifndef BASE_TRIGONOMETRY_H_
#define BASE_TRIGONOMETRY_H_

namespace synap_internal {

float Sin(float x);
float Cos(float x);
float Tan(float x);
float Asin(float x);
float Acos(float x);
float Atan(float x);
float Sinh(float x);
float Cosh(float x);
float Asinh(float x);
float Acosh(float x);
float Atanh(float x);

}  // namespace synap_internal

#endif  // BASE_TRIGONOMETRY_H_
