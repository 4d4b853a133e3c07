#include "kernels/convert/convert.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/check.h"
#include "base/rounding.h"
#include "base/visit_type.h"

namespace synap_internal::convert {
namespace {

// float16 has no C++ type here.
struct Half {
  uint16_t bits;
};

float ToNumber(float x) { return x; }
float ToNumber(Half x) { return HalfToFloat(x.bits); }
template <typename T>
int64_t ToNumber(T x) {
  return x;
}

template <typename T>
T FromFloat(float x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else {
    // Powers of two (or 0), so exact as floats.
    constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
    constexpr float kEnd = 2 * static_cast<float>(std::numeric_limits<T>::max() / 2 + 1);
    if (std::isnan(x)) return 0;
    if (x <= kLow) return std::numeric_limits<T>::min();
    return x >= kEnd ? std::numeric_limits<T>::max() : static_cast<T>(x);
  }
}

template <typename To, typename Number>
To FromNumber(Number x) {
  if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(x);
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{FloatToHalf(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (std::is_same_v<Number, float>) {
    return FromFloat<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void CastAll(const void* x, void* y, int64_t n) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(y);
  for (int64_t i = 0; i < n; ++i) to[i] = FromNumber<To>(ToNumber(from[i]));
}

// Calls function with a null pointer to the C++ type.
template <typename F>
void WithType(DataType type, F function) {
  if (type == DataType::kFloat16) return function(static_cast<Half*>(nullptr));
  const bool is_known =
      VisitTypes<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, float>(
          type, [&](auto zero) { function(static_cast<decltype(zero)*>(nullptr)); });
  CHECK(is_known);
}

template <typename To>
void Quantize(const Quantizer&, const Quantizer& out, const void* x, void* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<To*>(y)[i] = static_cast<To>(
        QuantizeValue(static_cast<const float*>(x)[i], out.scale, out.zero_point,
                      std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
  }
}

template <typename From>
void Dequantize(const Quantizer& in, const Quantizer&, const void* x, void* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<float*>(y)[i] =
        DequantizeValue(static_cast<const From*>(x)[i], in.scale, in.zero_point);
  }
}

template <typename From, typename To>
void Requantize(const Quantizer& in, const Quantizer& out, const void* x, void* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float real;
    Dequantize<From>(in, out, static_cast<const From*>(x) + i, &real, 1);
    Quantize<To>(in, out, &real, static_cast<To*>(y) + i, 1);
  }
}

template <typename From>
Run FromQuantized(DataType to) {
  switch (to) {
    case DataType::kUint8:
      return &Requantize<From, uint8_t>;
    case DataType::kInt8:
      return &Requantize<From, int8_t>;
    case DataType::kInt16:
      return &Requantize<From, int16_t>;
    default:
      return &Dequantize<From>;
  }
}

}  // namespace

void ReferenceCast(DataType from, DataType to, const void* x, void* y, int64_t n) {
  WithType(from, [&]<typename From>(From*) {
    WithType(to, [&]<typename To>(To*) { CastAll<From, To>(x, y, n); });
  });
}

Run ReferenceQuantize(DataType from, DataType to) {
  switch (from) {
    case DataType::kUint8:
      return FromQuantized<uint8_t>(to);
    case DataType::kInt8:
      return FromQuantized<int8_t>(to);
    case DataType::kInt16:
      return FromQuantized<int16_t>(to);
    default:
      break;
  }
  return to == DataType::kUint8  ? &Quantize<uint8_t>
         : to == DataType::kInt8 ? &Quantize<int8_t>
                                 : &Quantize<int16_t>;
}

}  // namespace synap_internal::convert
