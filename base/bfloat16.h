// Conversion from bfloat16, the upper half of a float32.
#ifndef BASE_BFLOAT16_H_
#define BASE_BFLOAT16_H_

#include <cstdint>
#include <cstring>

namespace synap_internal {

// Exact: each bfloat16 is a float32.
inline float BfloatToFloat(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

}  // namespace synap_internal

#endif  // BASE_BFLOAT16_H_
