// Elementary functions in double precision with the same bits on every machine:
// IEEE operations in a fixed order. The float functions that round once at the
// end are built on them.
#ifndef BASE_DOUBLE_MATH_H_
#define BASE_DOUBLE_MATH_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/float_math_constants.h"

namespace synap_internal {

// c[0] + c[1] x + ..., from the last coefficient down.
template <size_t kCount>
double DoublePolynomial(const double (&c)[kCount], double x) {
  double sum = c[kCount - 1];
  for (size_t i = kCount - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// Natural logarithm of a positive, finite, normal double to about 1e-13: the
// series of 2 artanh((m - 1) / (m + 1)) with m in [sqrt 1/2, sqrt 2).
inline double LogOfDouble(double x) {
  int64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits -= float_math::kSqrtHalfDoubleBits;
  const double exponent = static_cast<double>(bits >> 52);
  bits = (bits & ((int64_t{1} << 52) - 1)) + float_math::kSqrtHalfDoubleBits;
  double m;
  std::memcpy(&m, &bits, sizeof(m));
  const double s = (m - 1) / (m + 1);
  return exponent * float_math::kLn2Double +
         2 * s * DoublePolynomial(float_math::kArtanhDouble, s * s);
}

// e^x for |x| < 700 to about 1e-14, by the exponential series.
inline double ExpOfDouble(double x) {
  const double n = std::nearbyint(x * float_math::kLog2EDouble);
  const double sum = DoublePolynomial(float_math::kExpDouble, x - n * float_math::kLn2Double);
  const int64_t bits = (static_cast<int64_t>(n) + 1023) << 52;
  double scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  return sum * scale;
}

}  // namespace synap_internal

#endif  // BASE_DOUBLE_MATH_H_
