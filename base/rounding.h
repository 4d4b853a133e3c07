// Rounding, requantization and quantization of single values (docs/numerics.md).
// They exist only here; kernels/shared/simd/rounding-inl.h has them over vectors.
#ifndef BASE_ROUNDING_H_
#define BASE_ROUNDING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/data_type.h"
#include "base/quant_params.h"

namespace synap_internal {

// Round half to even to an integral float.
inline float RoundHalfEven(float x) {
  // The project never changes the rounding mode, so this is half to even; with
  // SSE4.1 it compiles to one instruction.
  return std::nearbyint(x);
}

// acc (integer accumulator, zero points already subtracted) -> T:
// float(acc) * multiplier, round half to even, + zero_point, saturate to
// [min, max]. float(acc) rounds half to even itself (|acc| can pass 2^24).
inline int32_t Requantize(int64_t acc, float multiplier, int32_t zero_point, int32_t min,
                          int32_t max) {
  const float scaled = static_cast<float>(acc) * multiplier;
  // Clamp as float before the conversion, so that it can't overflow int32.
  const float lo = static_cast<float>(min - zero_point);
  const float hi = static_cast<float>(max - zero_point);
  const float rounded = RoundHalfEven(std::min(std::max(scaled, lo), hi));
  return static_cast<int32_t>(rounded) + zero_point;
}

// real -> quantized: x / scale, round half to even, + zero_point, saturate. NaN gives zero_point.
inline int32_t QuantizeValue(float x, float scale, int32_t zero_point, int32_t min, int32_t max) {
  float scaled = x / scale;
  if (std::isnan(scaled)) scaled = 0;
  const float lo = static_cast<float>(min - zero_point);
  const float hi = static_cast<float>(max - zero_point);
  const float rounded = RoundHalfEven(std::min(std::max(scaled, lo), hi));
  return static_cast<int32_t>(rounded) + zero_point;
}

inline float DequantizeValue(int32_t q, float scale, int32_t zero_point) {
  return static_cast<float>(q - zero_point) * scale;
}

// IEEE binary16 <-> binary32; narrowing rounds half to even, overflow gives
// infinity, NaN stays NaN.
float HalfToFloat(uint16_t bits);
uint16_t FloatToHalf(float value);

}  // namespace synap_internal

#endif  // BASE_ROUNDING_H_
