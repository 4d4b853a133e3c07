#include "compiler/quantize/quantizer_params.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/rounding.h"
#include "compiler/graph/passes/fixed_point.h"

namespace synap_internal {

namespace {

// Instead of a range that says nothing.
constexpr ValueRange kUnknownRange{-1, 1};

}  // namespace

QuantParams AffineParams(ValueRange range, DataType type) {
  const IntegerRange integers = RangeOf(type);
  const auto steps = static_cast<double>(integers.max - integers.min);
  // In double: max - min may pass the largest float.
  const auto width = [](const ValueRange& r) {
    return std::max(0.0, static_cast<double>(r.max)) - std::min(0.0, static_cast<double>(r.min));
  };
  float scale = static_cast<float>(width(range) / steps);
  if (scale < std::numeric_limits<float>::min()) {
    range = kUnknownRange;
    scale = static_cast<float>(width(range) / steps);
  }
  // Below the integers where the range is above 0.
  const float zero_point = RoundHalfEven(
      static_cast<float>(static_cast<double>(integers.min) -
                         static_cast<double>(range.min) / static_cast<double>(scale)));
  const auto clamped = std::clamp(static_cast<int64_t>(zero_point), integers.min, integers.max);
  return QuantParams::Affine(scale, static_cast<int32_t>(clamped));
}

QuantParams FixedPointParams(ValueRange range, DataType type) {
  if (range == ValueRange{0, 0}) range = kUnknownRange;
  const double largest =
      std::max(std::abs(static_cast<double>(range.min)), std::abs(static_cast<double>(range.max)));
  return FixedPointFor(largest, type);
}

QuantParams ParamsFor(const ValueRange& range, const Precision& precision) {
  return precision.scheme == QuantScheme::kDynamicFixedPoint
             ? FixedPointParams(range, precision.type)
             : AffineParams(range, precision.type);
}

QuantParams Widened(const QuantParams& quant, float smallest) {
  if (quant.scale() >= smallest) return quant;
  if (quant.scheme != QuantScheme::kDynamicFixedPoint) {
    return QuantParams::Affine(smallest, quant.zero_point());
  }
  int length = quant.fractional_length;
  while (length > -kMaxFractionalLength && std::ldexp(1.0f, -length) < smallest) --length;
  return QuantParams::FixedPoint(length);
}

QuantParams ChannelParams(absl::Span<const float> values, const Shape& shape, int axis,
                          absl::Span<const float> smallest) {
  const auto dimension = static_cast<size_t>(axis);
  const int64_t inner = shape.Product(dimension + 1, shape.rank());
  std::vector<float> largest(static_cast<size_t>(shape[dimension]), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    float& channel = largest[i / static_cast<size_t>(inner) % largest.size()];
    channel = std::max(channel, std::abs(values[i]));
  }
  constexpr float kSteps = 127;
  for (size_t c = 0; c < largest.size(); ++c) {
    if (largest[c] == 0) largest[c] = 1;
    largest[c] = std::max(largest[c] / kSteps, smallest[c]);
  }
  return QuantParams::PerChannel(std::move(largest), axis);
}

float WidthOf(const ValueRange& range) {
  return std::max(0.0f, range.max) - std::min(0.0f, range.min);
}

ValueRange RangeOf(absl::Span<const float> values) {
  std::optional<ValueRange> range;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const ValueRange point{value, value};
    range = range.has_value() ? Hull(*range, point) : point;
  }
  return range.value_or(ValueRange());
}

}  // namespace synap_internal
