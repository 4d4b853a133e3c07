// Polynomial coefficients of base/float_math.cc and kernels/shared/simd/math-inl.h. Each
// polynomial is a least-squares fit at Chebyshev nodes in the relative error of
// the function. Its coefficients are rounded to float from the lowest on, and the
// rest is fitted again after each; errors in comments are those after rounding.
#ifndef BASE_FLOAT_MATH_CONSTANTS_H_
#define BASE_FLOAT_MATH_CONSTANTS_H_

#include <cstdint>

namespace synap_internal::float_math {

inline constexpr float kLog2E = 0x1.715476p+0f;
// ln 2 = high + low.
inline constexpr float kLn2High = 0x1.62e430p-1f;
inline constexpr float kLn2Low = -0x1.05c610p-29f;

// For powers, computed in double: artanh(s) / s in s^2 and e^r, by their series.
inline constexpr double kLog2EDouble = 0x1.71547652b82fep+0;
inline constexpr double kLn2Double = 0x1.62e42fefa39efp-1;
inline constexpr double kArtanhDouble[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7, 1.0 / 9,
                                           1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17};
inline constexpr double kExpDouble[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,      1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};

// Outside of these e^x is infinite or rounds to 0.
inline constexpr float kExpLow = -104.0f;
inline constexpr float kExpHigh = 89.0f;
// Below, e^x - 1 rounds to -1.
inline constexpr float kExpMinus1Low = -20.0f;
// e^r = 1 + r + r^2 P(r), |r| <= ln 2 / 2: 3.9e-9.
inline constexpr float kExp[] = {0x1.fffff8p-2f, 0x1.555486p-3f, 0x1.555b7cp-5f, 0x1.1241c2p-7f,
                                 0x1.687d62p-10f};

inline constexpr float kSmallestNormal = 0x1p-126f;
inline constexpr uint32_t kSqrtHalfBits = 0x3F3504F3u;
inline constexpr int64_t kSqrtHalfDoubleBits = 0x3FE6A09E667F3BCD;
// log(1 + f) = f - f^2 / 2 + f^3 P(f), 1 + f in [sqrt 1/2, sqrt 2): 9e-10.
inline constexpr float kLog[] = {0x1.555546p-2f,  -0x1.00000ap-2f, 0x1.99a546p-3f,
                                 -0x1.555ae4p-3f, 0x1.232cfap-3f,  -0x1.fc4da0p-4f,
                                 0x1.e7a54ep-4f,  -0x1.dd6510p-4f, 0x1.11c874p-4f};

// tanh x = x + x^3 P(x^2) for |x| below this: 4.6e-9.
inline constexpr float kTanhSmall = 0.625f;
inline constexpr float kTanh[] = {-0x1.555532p-2f, 0x1.1106fep-3f, -0x1.b83780p-5f, 0x1.52095ep-6f,
                                  -0x1.7567ecp-8f};

// erf x = x + x P(x^2) for |x| below this: 1.7e-8.
inline constexpr float kErfSmall = 0.921875f;
inline constexpr float kErf[] = {0x1.06eba6p-3f,  -0x1.8126e6p-2f, 0x1.ce1a64p-4f,
                                 -0x1.b68a4ep-6f, 0x1.47345ap-8f,  -0x1.39f854p-11f};
// erf x = 1 - e^-P(x) from there on: 1.7e-9. From kErfHigh on it rounds to 1.
inline constexpr float kErfHigh = 4.0f;
inline constexpr float kErfTail[] = {0x1.87f286p-13f, 0x1.20b1eep+0f,  0x1.463352p-1f,
                                     0x1.a9fc12p-4f,  -0x1.6cc0f6p-6f, 0x1.90294ep-9f,
                                     -0x1.9d2d66p-13f};

inline constexpr float kSqrtHalf = 0x1.6a09e6p-1f;
inline constexpr float kGeluScale = 0x1.988454p-1f;  // sqrt(2 / pi)
inline constexpr float kGeluCubic = 0.044715f;

}  // namespace synap_internal::float_math

#endif  // BASE_FLOAT_MATH_CONSTANTS_H_
