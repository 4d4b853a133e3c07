#include "base/rounding.h"

namespace synap_internal {
namespace {

uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float BitsFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace

float HalfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7FFFu;
  if (magnitude >= 0x7C00u) {  // infinity or NaN: widen the exponent
    return BitsFloat(sign | 0x7F800000u | ((magnitude & 0x3FFu) << 13));
  }
  // Moving the fields into place leaves the exponent 112 too small; the
  // multiplication by 2^112 is exact and makes half subnormals normal.
  const float value = BitsFloat(magnitude << 13) * 0x1p112f;
  return BitsFloat(FloatBits(value) | sign);
}

uint16_t FloatToHalf(float value) {
  const uint32_t bits = FloatBits(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u;   // NaN
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;  // 65520 and more round to infinity
  if (magnitude < 0x38800000u) {                        // below 2^-14: subnormal half
    // Adding 0.5 puts the unit 2^-24 at the float's last bit, so that the
    // addition itself rounds half to even.
    const float shifted = BitsFloat(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (FloatBits(shifted) - FloatBits(0.5f)));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded = magnitude - 0x38000000u + 0xFFFu + odd;
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

}  // namespace synap_internal
