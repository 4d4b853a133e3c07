#include "runtime/api/normalize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rounding.h"
#include "base/visit_type.h"
#include "kernels/lookup/lookup.h"
#include "runtime/api/normalize_bytes.h"

namespace synap_internal {
namespace {

constexpr float kNearlyOne = 1.0f / 256;

bool IsNearlyOne(float factor) { return std::abs(factor - 1) < kNearlyOne; }

// Converts toward zero, saturating; NaN gives the minimum.
template <typename Q>
Q Saturate(double value) {
  constexpr auto kMin = static_cast<double>(std::numeric_limits<Q>::min());
  constexpr auto kMax = static_cast<double>(std::numeric_limits<Q>::max());
  if (!(value > kMin)) return std::numeric_limits<Q>::min();
  if (value >= kMax) return std::numeric_limits<Q>::max();
  return static_cast<Q>(value);
}

// Calls run(first, count, channel) for every run of elements of the same channel.
template <typename Run>
void ForEachRun(const Normalization& how, size_t count, const Run& run) {
  const auto inner = static_cast<size_t>(how.inner);
  for (size_t i = 0; i < count;) {
    for (int64_t c = 0; c < how.channels && i < count; ++c) {
      const size_t end = std::min(count, i + inner);
      run(i, end - i, c);
      i = end;
    }
  }
}

// Calls convert(v, channel) for every element.
template <typename V, typename Q, typename Convert>
void ForEach(const Normalization& how, absl::Span<const V> values, Q* data,
             const Convert& convert) {
  ForEachRun(how, values.size(), [&](size_t first, size_t count, int64_t c) {
    for (size_t i = first; i < first + count; ++i) data[i] = convert(values[i], c);
  });
}

template <typename Q>
using Table = std::array<Q, 256>;

template <typename Q>
void LookUp(const Table<Q>& table, const uint8_t* bytes, size_t count, Q* data) {
  if constexpr (sizeof(Q) == 1) {
    static const lookup::Function function = lookup::FindFunction();
    function(reinterpret_cast<const uint8_t*>(table.data()), bytes,
             reinterpret_cast<uint8_t*>(data), static_cast<int64_t>(count));
  } else {
    for (size_t i = 0; i < count; ++i) data[i] = table[bytes[i]];
  }
}

// tables: one for each channel.
template <typename Q>
void LookUpAll(const Normalization& how, absl::Span<const uint8_t> values,
               const std::vector<Table<Q>>& tables, Q* data) {
  if (how.inner > 1 || how.channels == 1) {
    ForEachRun(how, values.size(), [&](size_t first, size_t count, int64_t c) {
      LookUp(tables[static_cast<size_t>(c)], values.data() + first, count, data + first);
    });
    return;
  }
  const size_t channels = tables.size();
  for (size_t i = 0; i < values.size(); i += channels) {
    const size_t end = std::min(channels, values.size() - i);
    for (size_t c = 0; c < end; ++c) data[i + c] = tables[c][values[i + c]];
  }
}

// Bytes have only 256 values: one table for each mean.
template <typename V, typename Q, typename Convert>
void ConvertAll(const Normalization& how, absl::Span<const V> values, Q* data,
                const Convert& convert) {
  if constexpr (!std::is_same_v<V, uint8_t>) {
    ForEach(how, values, data, convert);
  } else {
    std::vector<Table<Q>> tables(static_cast<size_t>(how.channels));
    for (size_t c = 0; c < tables.size(); ++c) {
      for (size_t v = 0; v < 256; ++v) {
        tables[c][v] = convert(static_cast<uint8_t>(v), static_cast<int64_t>(c));
      }
    }
    LookUpAll(how, values, tables, data);
  }
}

float MeanOf(const Normalization& how, int64_t channel) { return ChannelValue(how.mean, channel); }

// data[i] = (values[i] - mean) / scale; `scales` as how.mean: one for all, or one for each channel.
void NormalizePixelsToFloats(const Normalization& how, absl::Span<const uint8_t> values,
                             const std::vector<float>& means, const std::vector<float>& scales,
                             float* data) {
  const auto channels = static_cast<size_t>(how.channels);
  if (how.inner == 1 && channels <= kMaxFloatChannels) {
    float mean[kMaxFloatChannels], scale[kMaxFloatChannels];
    for (size_t c = 0; c < channels; ++c) {
      mean[c] = ChannelValue(means, static_cast<int64_t>(c));
      scale[c] = ChannelValue(scales, static_cast<int64_t>(c));
    }
    NormalizeToFloats(values.data(), values.size(), mean, scale, channels, data);
    return;
  }
  ForEachRun(how, values.size(), [&](size_t first, size_t count, int64_t c) {
    const float mean = ChannelValue(means, c), scale = ChannelValue(scales, c);
    NormalizeToFloats(values.data() + first, count, &mean, &scale, 1, data + first);
  });
}

template <typename V, typename Q>
void NormalizeAffine(const Normalization& how, absl::Span<const V> values, Q* data) {
  const bool quantized = how.quant.quantized();
  const float factor = how.scale * (quantized ? how.quant.scale() : 1);
  const float zero = quantized ? static_cast<float>(how.quant.zero_point()) : 0;
  ConvertAll(how, values, data, [&](V v, int64_t c) {
    const float mean = std::trunc(MeanOf(how, c));
    if (IsNearlyOne(factor)) return Saturate<Q>(static_cast<float>(v) - (mean - zero));
    return Saturate<Q>(std::trunc((static_cast<float>(v) - mean) / factor + zero + 0.5f));
  });
}

template <typename V, typename Q>
void NormalizeFixedPoint(const Normalization& how, absl::Span<const V> values, Q* data) {
  const float half = how.planar_means ? 0 : 0.5f;
  ConvertAll(how, values, data, [&](V v, int64_t c) {
    const float mean = MeanOf(how, c);
    double shifted = 0;
    if constexpr (std::is_floating_point_v<V>) {
      shifted = std::ldexp(static_cast<double>(v) - mean, how.quant.fractional_length);
    } else {
      // An arithmetic shift to the right rounds down.
      shifted = std::floor(
          std::ldexp(static_cast<double>(v) - std::trunc(mean), how.quant.fractional_length));
    }
    if (how.scale == 1) return Saturate<Q>(shifted);
    return Saturate<Q>(static_cast<float>(shifted) / how.scale + half);
  });
}

// Computed in double, with one rounding of the result: half to even.
template <typename Q>
Q RoundedQuantized(double real_over_scale, int32_t zero_point) {
  return Saturate<Q>(std::nearbyint(real_over_scale) + zero_point);
}

// The real number that a step of the integers is.
double StepOf(const QuantParams& quant) { return quant.quantized() ? quant.scale() : 1; }

template <typename V, typename Q>
void NormalizeInteger(const Normalization& how, absl::Span<const V> values, Q* data) {
  const double factor = static_cast<double>(how.scale) * StepOf(how.quant);
  ConvertAll(how, values, data, [&](V v, int64_t c) {
    return RoundedQuantized<Q>((static_cast<double>(v) - MeanOf(how, c)) / factor,
                               how.quant.zero_point());
  });
}

template <typename V>
void NormalizeBool(const Normalization& how, absl::Span<const V> values, uint8_t* data) {
  ConvertAll(how, values, data, [&](V v, int64_t c) {
    return static_cast<uint8_t>(static_cast<double>(v) != MeanOf(how, c) ? 1 : 0);
  });
}

template <typename Q>
Q QuantizePixel(const Normalization& how, uint8_t v, int64_t c) {
  const double mean = ChannelValue(how.pixels->mean, c), scale = ChannelValue(how.pixels->scale, c);
  return RoundedQuantized<Q>((v - mean) / (scale * StepOf(how.quant)), how.quant.zero_point());
}

template <typename Q>
void QuantizePixels(const Normalization& how, absl::Span<const uint8_t> values, Q* data) {
  ConvertAll(how, values, data, [&](uint8_t v, int64_t c) { return QuantizePixel<Q>(how, v, c); });
}

// REQUIRES: how.pixels.
bool CopiesPixels(const Normalization& how) {
  if (how.quant.scheme != QuantScheme::kAsymmetricAffine) return false;
  for (int64_t c = 0; c < how.pixel_channels; ++c) {
    for (int v = 0; v < 256; ++v) {
      if (QuantizePixel<uint8_t>(how, static_cast<uint8_t>(v), c) != v) return false;
    }
  }
  return true;
}

bool IsPerTensor(const QuantParams& quant) {
  return quant.scheme != QuantScheme::kPerChannelSymmetric;
}

absl::Status NormalizePixels(const Normalization& given, absl::Span<const uint8_t> values,
                             void* data) {
  Normalization how = given;
  how.channels = given.pixel_channels;
  how.inner = given.pixel_inner;
  const auto real = [&](uint8_t v, int64_t c) {
    return (v - ChannelValue(how.pixels->mean, c)) / ChannelValue(how.pixels->scale, c);
  };
  if (how.dtype == DataType::kFloat32) {
    NormalizePixelsToFloats(how, values, how.pixels->mean, how.pixels->scale,
                            static_cast<float*>(data));
  } else if (how.dtype == DataType::kFloat16) {
    ConvertAll(how, values, static_cast<uint16_t*>(data),
               [&](uint8_t v, int64_t c) { return TruncateToHalf(real(v, c)); });
  } else if (!IsPerTensor(how.quant) || how.dtype == DataType::kBool ||
             !VisitIntegers(how.dtype, [&](auto zero) {
               QuantizePixels(how, values, static_cast<decltype(zero)*>(data));
             })) {
    return absl::UnimplementedError(absl::StrCat("no conversion of pixels to ", Name(how.dtype),
                                                 " with quantizer ", Name(how.quant.scheme)));
  }
  return absl::OkStatus();
}

absl::Status NoConversion(const Normalization& how) {
  return absl::UnimplementedError(absl::StrCat("no conversion to ", Name(how.dtype),
                                               " with quantizer ", Name(how.quant.scheme),
                                               "; assign raw data instead"));
}

template <typename V>
absl::Status NormalizeValues(const Normalization& how, absl::Span<const V> values, void* data) {
  const bool fixed_point = how.quant.scheme == QuantScheme::kDynamicFixedPoint;
  const bool affine = how.quant.scheme == QuantScheme::kAsymmetricAffine;
  // Integers of 32 bits aren't all exact as float32.
  using Exact = std::conditional_t<std::is_integral_v<V> && sizeof(V) == 4, double, float>;
  const auto real = [&](V v, int64_t c) {
    return static_cast<float>((static_cast<Exact>(v) - MeanOf(how, c)) / how.scale);
  };
  if (!IsPerTensor(how.quant)) return NoConversion(how);
  if (how.dtype == DataType::kUint8 && !fixed_point) {
    NormalizeAffine(how, values, static_cast<uint8_t*>(data));
  } else if (how.dtype == DataType::kInt8 && affine) {
    NormalizeAffine(how, values, static_cast<int8_t*>(data));
  } else if (how.dtype == DataType::kInt8 && fixed_point) {
    NormalizeFixedPoint(how, values, static_cast<int8_t*>(data));
  } else if (how.dtype == DataType::kInt16 && fixed_point) {
    NormalizeFixedPoint(how, values, static_cast<int16_t*>(data));
  } else if (how.dtype == DataType::kBool) {
    NormalizeBool(how, values, static_cast<uint8_t*>(data));
  } else if (how.dtype == DataType::kFloat16) {
    ConvertAll(how, values, static_cast<uint16_t*>(data),
               [&](V v, int64_t c) { return TruncateToHalf(real(v, c)); });
  } else if (how.dtype == DataType::kFloat32) {
    if constexpr (std::is_same_v<V, uint8_t>) {
      NormalizePixelsToFloats(how, values, how.mean, {how.scale}, static_cast<float*>(data));
    } else {
      ForEach(how, values, static_cast<float*>(data), real);
    }
  } else if (!VisitIntegers(how.dtype, [&](auto zero) {
               NormalizeInteger(how, values, static_cast<decltype(zero)*>(data));
             })) {
    return NoConversion(how);
  }
  return absl::OkStatus();
}

template <typename Q>
void DequantizeAs(const QuantParams& quant, const void* data, absl::Span<float> values) {
  const Q* q = static_cast<const Q*>(data);
  const float scale = quant.quantized() ? quant.scale() : 1;
  const int32_t zero = quant.quantized() ? quant.zero_point() : 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (sizeof(Q) < 4) {
      values[i] = DequantizeValue(q[i], scale, zero);
    } else {
      values[i] = static_cast<float>(static_cast<int64_t>(q[i]) - zero) * scale;
    }
  }
}

}  // namespace

absl::StatusOr<Normalization> MakeNormalization(const TensorMetadata& metadata, bool is_input) {
  Normalization how;
  how.dtype = metadata.dtype;
  how.quant = metadata.quant;
  how.inner = metadata.shape.elements();
  if (!is_input) return how;
  how.scale = metadata.effective_scale();
  how.mean = metadata.effective_mean();
  const bool planar = metadata.layout == TensorLayout::kNchw;
  how.pixels = metadata.pixels;
  how.pixel_inner = how.inner;
  if (how.pixels.has_value() && (how.pixels->mean.size() != 1 || how.pixels->scale.size() != 1)) {
    how.pixel_channels = metadata.channels();
    how.pixel_inner = planar ? metadata.shape[2] * metadata.shape[3] : 1;
  }
  if (how.mean.size() == 1) return how;
  if (metadata.shape.rank() == 4 && metadata.layout != TensorLayout::kNone) {
    how.channels = metadata.shape[planar ? 1 : 3];
    how.inner = planar ? metadata.shape[2] * metadata.shape[3] : 1;
    how.planar_means = planar;
  }
  if (how.channels == static_cast<int64_t>(how.mean.size())) return how;
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", metadata.name, "' of shape ", metadata.shape.ToString(), " has ",
                   how.mean.size(), " means, expected one, or one for each channel"));
}

absl::Status Normalize(const Normalization& how, absl::Span<const uint8_t> values, void* data) {
  if (how.pixels.has_value()) return NormalizePixels(how, values, data);
  return NormalizeValues(how, values, data);
}

absl::Status Normalize(const Normalization& how, absl::Span<const int16_t> values, void* data) {
  return NormalizeValues(how, values, data);
}

absl::Status Normalize(const Normalization& how, absl::Span<const uint16_t> values, void* data) {
  return NormalizeValues(how, values, data);
}

absl::Status Normalize(const Normalization& how, absl::Span<const int32_t> values, void* data) {
  return NormalizeValues(how, values, data);
}

absl::Status Normalize(const Normalization& how, absl::Span<const uint32_t> values, void* data) {
  return NormalizeValues(how, values, data);
}

absl::Status Normalize(const Normalization& how, absl::Span<const float> values, void* data) {
  return NormalizeValues(how, values, data);
}

bool IsCopy(const Normalization& how) {
  if (how.pixels.has_value() && how.dtype == DataType::kUint8) return CopiesPixels(how);
  if (std::any_of(how.mean.begin(), how.mean.end(),
                  [&](float mean) { return mean != how.mean[0]; })) {
    return false;
  }
  switch (how.quant.scheme) {
    case QuantScheme::kNone:
      return (IsFloat(how.dtype) ? how.scale == 1 : IsNearlyOne(how.scale)) && how.mean[0] == 0;
    case QuantScheme::kAsymmetricAffine:
      return IsNearlyOne(how.scale * how.quant.scale()) &&
             how.mean[0] == static_cast<float>(how.quant.zero_point());
    case QuantScheme::kDynamicFixedPoint:
      return IsNearlyOne(how.scale) && how.mean[0] == 0 && how.quant.fractional_length == 0;
    case QuantScheme::kPerChannelSymmetric:
      return false;
  }
  return false;
}

void Dequantize(DataType dtype, const QuantParams& quant, const void* data,
                absl::Span<float> values) {
  if (dtype == DataType::kFloat16) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = HalfToFloat(static_cast<const uint16_t*>(data)[i]);
    }
  } else if (dtype == DataType::kFloat32) {
    if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(float));
  } else {
    const bool is_integer =
        VisitIntegers(dtype, [&](auto zero) { DequantizeAs<decltype(zero)>(quant, data, values); });
    CHECK(is_integer);
  }
}

uint16_t TruncateToHalf(float value) {
  constexpr uint32_t kLargest = 0x7BFF;
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const int exponent = static_cast<int>((bits >> 23) & 0xFF) - 127 + 15;
  if (exponent <= 0) return sign;
  if (exponent >= 31) return static_cast<uint16_t>(sign | kLargest);
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(exponent) << 10) |
                               ((bits >> 13) & 0x3FF));
}

}  // namespace synap_internal
