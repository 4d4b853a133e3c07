#include "runtime/verify/tensor_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/element_scales.h"
#include "base/fidelity.h"
#include "base/rounding.h"
#include "base/visit_type.h"

namespace synap_internal {
namespace {

// The largest step of the quantizer; 0 without one.
double StepOf(const QuantParams& quant) {
  const auto largest = std::max_element(quant.scales.begin(), quant.scales.end());
  return quant.quantized() && largest != quant.scales.end() ? static_cast<double>(*largest) : 0.0;
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

// Rounds as Tensor::assign does, which only knows these quantizers.
absl::Status StoreQuantized(const TensorType& type, absl::Span<const double> values, void* data) {
  if (!HoldsActivations(type.dtype) || type.quant.scheme == QuantScheme::kPerChannelSymmetric) {
    return absl::InvalidArgumentError(absl::StrCat("real values can't become ", Name(type.dtype),
                                                   " with quantizer ", type.quant.ToString(),
                                                   ", expected values of that type"));
  }
  const auto min = static_cast<int32_t>(RangeOf(type.dtype).min);
  const auto max = static_cast<int32_t>(RangeOf(type.dtype).max);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreInteger(type.dtype,
                 QuantizeValue(static_cast<float>(values[i]), type.quant.scale(),
                               type.quant.zero_point(), min, max),
                 data, i);
  }
  return absl::OkStatus();
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
  const ElementScales scales(type.quant, type.shape);
  const double zero = type.quant.zero_point();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(static_cast<float>(values[i] - zero) * scales[i]);
  }
  return values;
}

absl::Status StoreRealValues(const TensorType& type, absl::Span<const double> values, void* data) {
  CHECK(static_cast<int64_t>(values.size()) == type.shape.elements());
  if (type.quant.quantized()) return StoreQuantized(type, values, data);
  const bool is_float = IsFloat(type.dtype);
  const IntegerRange range = is_float ? IntegerRange() : RangeOf(type.dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_float) {
      StoreFloat(type.dtype, static_cast<float>(values[i]), data, i);
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
  return absl::StrFormat(
      "%d of %d elements differ, most by %.6g steps: element [%s] is %.9g, expected %.9g",
      difference.differing, difference.elements, difference.steps,
      absl::StrJoin(Coordinates(difference.at, shape), ","), difference.found, difference.expected);
}

}  // namespace synap_internal
