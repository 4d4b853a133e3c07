#include "runtime/verify/tensor_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/fidelity.h"
#include "base/rounding.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

// A step of the quantizer; 0 without one.
float StepOf(const QuantParams& quant) {
  if (quant.scheme == QuantScheme::kDynamicFixedPoint) {
    return std::ldexp(1.0f, -quant.fractional_length);
  }
  return quant.quantized() ? quant.scale() : 0.0f;
}

template <typename T>
T At(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// The number that is stored at `i`, before its quantizer.
double StoredValue(DataType type, const void* data, size_t i) {
  if (type == DataType::kFloat32) return At<float>(data, i);
  if (type == DataType::kFloat16) return HalfToFloat(At<uint16_t>(data, i));
  double value = 0;
  CHECK(VisitIntegers(
      type, [&](auto zero) { value = static_cast<double>(At<decltype(zero)>(data, i)); }));
  return value;
}

// Little endian: the low bytes are first.
void StoreInteger(DataType type, int64_t value, void* data, size_t i) {
  const size_t size = SizeOf(type);
  std::memcpy(static_cast<uint8_t*>(data) + i * size, &value, size);
}

void StoreFloat(DataType type, float value, void* data, size_t i) {
  if (type == DataType::kFloat32) {
    std::memcpy(static_cast<uint8_t*>(data) + i * sizeof(value), &value, sizeof(value));
    return;
  }
  const uint16_t half = FloatToHalf(value);
  std::memcpy(static_cast<uint8_t*>(data) + i * sizeof(half), &half, sizeof(half));
}

double DifferenceOf(double found, double expected) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
  const double difference = std::abs(found - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

std::vector<int64_t> Coordinates(int64_t element, const Shape& shape) {
  std::vector<int64_t> at(shape.rank());
  for (size_t d = shape.rank(); d-- > 0;) {
    at[d] = element % shape[d];
    element /= shape[d];
  }
  return at;
}

}  // namespace

std::vector<double> RealValues(const TensorType& type, const void* data) {
  std::vector<double> values(static_cast<size_t>(type.shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = StoredValue(type.dtype, data, i);
  if (!type.quant.quantized()) return values;
  // In float32, as the dequantize op and Tensor::as_float have it.
  const float step = StepOf(type.quant);
  const double zero = type.quant.zero_point();
  for (double& value : values) value = static_cast<float>(value - zero) * step;
  return values;
}

absl::Status StoreRealValues(const TensorType& type, absl::Span<const double> values, void* data) {
  CHECK(static_cast<int64_t>(values.size()) == type.shape.elements());
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsFloat(type.dtype)) {
      StoreFloat(type.dtype, static_cast<float>(values[i]), data, i);
      continue;
    }
    const IntegerRange range = RangeOf(type.dtype);
    if (type.quant.quantized()) {
      StoreInteger(
          type.dtype,
          QuantizeValue(static_cast<float>(values[i]), StepOf(type.quant), type.quant.zero_point(),
                        static_cast<int32_t>(range.min), static_cast<int32_t>(range.max)),
          data, i);
      continue;
    }
    // 2^63, the first double above int64, is out of range, too.
    const bool fits = values[i] == std::trunc(values[i]) && std::abs(values[i]) < 0x1p63 &&
                      static_cast<int64_t>(values[i]) >= range.min &&
                      static_cast<int64_t>(values[i]) <= range.max;
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("element ", i, " is ", values[i], ", expected whole numbers from ",
                       range.min, " to ", range.max, " (", Name(type.dtype), ")"));
    }
    StoreInteger(type.dtype, static_cast<int64_t>(values[i]), data, i);
  }
  return absl::OkStatus();
}

Difference Compare(const TensorType& type, absl::Span<const double> found,
                   absl::Span<const double> expected) {
  CHECK(found.size() == expected.size());
  CHECK(static_cast<int64_t>(found.size()) == type.shape.elements());
  Difference result;
  result.elements = type.shape.elements();
  double largest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double difference = DifferenceOf(found[i], expected[i]);
    if (difference == 0) continue;
    ++result.differing;
    if (difference <= largest) continue;
    largest = difference;
    result.at = static_cast<int64_t>(i);
    result.found = found[i];
    result.expected = expected[i];
  }
  if (result.differing == 0) return result;
  double step = StepOf(type.quant);
  if (step == 0) step = 1;
  if (IsFloat(type.dtype)) {
    double magnitude = 0;
    for (const double value : expected) {
      if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
    }
    if (magnitude > 0) step = magnitude / 255;
  }
  result.steps = largest / step;
  Fidelity fidelity;
  const std::vector<float> reference(expected.begin(), expected.end());
  const std::vector<float> approximation(found.begin(), found.end());
  fidelity.Add(reference, approximation);
  result.sqnr_db = fidelity.SqnrDb();
  return result;
}

std::string DifferenceText(const Difference& difference, const Shape& shape) {
  return absl::StrCat(difference.differing, " of ", difference.elements,
                      " elements differ, most by ", difference.steps, " steps: element [",
                      absl::StrJoin(Coordinates(difference.at, shape), ","), "] is ",
                      difference.found, ", expected ", difference.expected);
}

}  // namespace synap_internal
