#include "compiler/import/onnx/narrow_types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace synap_internal::onnx_import {
namespace {

// What the bits of a float say beside numbers.
enum class Special {
  kNone,
  kInfinities,    // the highest exponent is infinity and NaN
  kHighestIsNan,  // without the sign
  kMinusZeroIsNan,
};

// Values of TensorProto::DataType, which older definitions of ONNX don't have.
struct NarrowType {
  int onnx_type;
  int bits;
  bool has_sign;
  int mantissa = 0;  // bits of a float's
  int bias = 0;      // of a float's exponent; 0: an integer
  Special special = Special::kNone;
};
constexpr NarrowType kNarrowTypes[] = {
    {17, 8, true, 3, 7, Special::kHighestIsNan},     // FLOAT8E4M3FN
    {18, 8, true, 3, 8, Special::kMinusZeroIsNan},   // FLOAT8E4M3FNUZ
    {19, 8, true, 2, 15, Special::kInfinities},      // FLOAT8E5M2
    {20, 8, true, 2, 16, Special::kMinusZeroIsNan},  // FLOAT8E5M2FNUZ
    {21, 4, false},                                  // UINT4
    {22, 4, true},                                   // INT4
    {23, 4, true, 1, 1},                             // FLOAT4E2M1
    {24, 8, false, 0, 127, Special::kHighestIsNan},  // FLOAT8E8M0
    {25, 2, false},                                  // UINT2
    {26, 2, true},                                   // INT2
};

const NarrowType* Find(int onnx_type) {
  const auto* type = std::find_if(std::begin(kNarrowTypes), std::end(kNarrowTypes),
                                  [&](const auto& known) { return known.onnx_type == onnx_type; });
  return type == std::end(kNarrowTypes) ? nullptr : type;
}

float FloatOf(const NarrowType& type, uint32_t element) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const uint32_t sign_bit = type.has_sign ? 1U << (type.bits - 1) : 0;
  const uint32_t magnitude = element & ~sign_bit;
  const uint32_t highest = (1U << (type.bits - (type.has_sign ? 1 : 0))) - 1;
  const bool negative = (element & sign_bit) != 0;
  const auto exponent = static_cast<int>(magnitude >> type.mantissa);
  const uint32_t fraction = magnitude & ((1U << type.mantissa) - 1);
  if (type.special == Special::kHighestIsNan && magnitude == highest) return kNan;
  if (type.special == Special::kMinusZeroIsNan && negative && magnitude == 0) return kNan;
  if (type.special == Special::kInfinities &&
      exponent == static_cast<int>(highest >> type.mantissa)) {
    if (fraction != 0) return kNan;
    return negative ? -std::numeric_limits<float>::infinity()
                    : std::numeric_limits<float>::infinity();
  }
  // Without a mantissa there are no denormal numbers.
  const bool denormal = exponent == 0 && type.mantissa > 0;
  const uint32_t whole = denormal ? fraction : fraction + (1U << type.mantissa);
  const float value =
      std::ldexp(static_cast<float>(whole), (denormal ? 1 : exponent) - type.bias - type.mantissa);
  return negative ? -value : value;
}

// The bits of a float type's largest number.
uint32_t LargestBits(const NarrowType& type) {
  const uint32_t highest = (1U << (type.bits - (type.has_sign ? 1 : 0))) - 1;
  switch (type.special) {
    case Special::kInfinities:
      return (highest >> type.mantissa << type.mantissa) - 1;
    case Special::kHighestIsNan:
      return highest - 1;
    case Special::kNone:
    case Special::kMinusZeroIsNan:
      break;
  }
  return highest;
}

// e8m0's nearest power of two.
float RoundToPower(float value, bool saturate, PowerRounding rounding) {
  constexpr int kLargest = 127;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (!(value >= 0)) return kNan;
  if (value == 0) return std::ldexp(1.0f, -kLargest);
  if (std::isinf(value)) return saturate ? std::ldexp(1.0f, kLargest) : kNan;
  int exponent = 0;
  const float fraction = 2 * std::frexp(value, &exponent);  // [1, 2)
  --exponent;
  const bool up = rounding == PowerRounding::kUp        ? fraction > 1
                  : rounding == PowerRounding::kNearest ? fraction >= 1.5f
                                                        : false;
  if (up) ++exponent;
  if (exponent > kLargest && !saturate) return kNan;
  return std::ldexp(1.0f, std::min(std::max(exponent, -kLargest), kLargest));
}

// convert(bits) of each element.
template <typename T, typename Convert>
Constant Unpacked(const NarrowType& type, int64_t count, absl::Span<const uint8_t> stored,
                  Convert convert) {
  const int in_byte = 8 / type.bits;
  const uint32_t mask = (1U << type.bits) - 1;
  std::vector<T> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t byte = stored[static_cast<size_t>(i / in_byte)];
    values.push_back(convert((byte >> (i % in_byte * type.bits)) & mask));
  }
  return Constant::Own(std::move(values));
}

}  // namespace

bool IsNarrowType(int onnx_type) { return Find(onnx_type) != nullptr; }

DataType WideTypeOf(int onnx_type) {
  const NarrowType& type = *Find(onnx_type);
  if (type.bias != 0) return DataType::kFloat32;
  return type.has_sign ? DataType::kInt8 : DataType::kUint8;
}

IntegerRange NarrowRange(int onnx_type) {
  const NarrowType& type = *Find(onnx_type);
  const int64_t values = int64_t{1} << type.bits;
  return type.has_sign ? IntegerRange{-values / 2, values / 2 - 1} : IntegerRange{0, values - 1};
}

float RoundToNarrow(int onnx_type, float value, bool saturate, PowerRounding powers) {
  const NarrowType& type = *Find(onnx_type);
  if (!type.has_sign) return RoundToPower(value, saturate, powers);
  if (std::isnan(value)) return type.special == Special::kNone ? -0.0f : value;
  const float largest = FloatOf(type, LargestBits(type));
  double magnitude = std::fabs(static_cast<double>(value));
  if (!std::isinf(value)) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // The distance of two neighbours, which denormal numbers share.
    const double step = std::ldexp(1.0, std::max(exponent - 1, 1 - type.bias) - type.mantissa);
    magnitude = std::nearbyint(magnitude / step) * step;
  }
  auto rounded = static_cast<float>(magnitude);
  if (magnitude > largest) {
    const bool cut = saturate || type.special == Special::kNone;
    rounded = cut                                    ? largest
              : type.special == Special::kInfinities ? std::numeric_limits<float>::infinity()
                                                     : std::numeric_limits<float>::quiet_NaN();
  }
  if (rounded == 0 && type.special == Special::kMinusZeroIsNan) return 0;
  return std::copysign(rounded, value);
}

absl::StatusOr<TensorData> UnpackNarrow(int onnx_type, const Shape& shape,
                                        absl::Span<const uint8_t> stored) {
  const NarrowType& type = *Find(onnx_type);
  const int64_t count = shape.elements(), in_byte = 8 / type.bits;
  const int64_t expected = count / in_byte + (count % in_byte != 0);
  if (static_cast<int64_t>(stored.size()) != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", stored.size(), " bytes of data, expected ", expected, " for shape ",
                     shape.ToString(), " with elements of ", type.bits, " bits"));
  }
  if (type.bias != 0) {
    return TensorData{
        {DataType::kFloat32, shape, {}},
        Unpacked<float>(type, count, stored, [&](uint32_t x) { return FloatOf(type, x); })};
  }
  if (!type.has_sign) {
    return TensorData{
        {DataType::kUint8, shape, {}},
        Unpacked<uint8_t>(type, count, stored, [](uint32_t x) { return static_cast<uint8_t>(x); })};
  }
  const uint32_t sign_bit = 1U << (type.bits - 1);
  return TensorData{{DataType::kInt8, shape, {}},
                    Unpacked<int8_t>(type, count, stored, [&](uint32_t x) {
                      const auto value = static_cast<int>(x);
                      const bool negative = (x & sign_bit) != 0;
                      return static_cast<int8_t>(negative ? value - (1 << type.bits) : value);
                    })};
}

}  // namespace synap_internal::onnx_import
