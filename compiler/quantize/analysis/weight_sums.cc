#include "compiler/quantize/analysis/weight_sums.h"

#include <cstddef>
#include <cstdint>
#include <variant>

#include "base/rounding.h"
#include "base/tensor_type.h"

namespace synap_internal {
namespace {

// Each output of a transposed convolution reads one of so many parts of its channel's weights.
double PhasesOf(const Op& op) {
  if (!op.Is(LinearForm::kTransposed)) return 1;
  const auto strides = op.attributes.find("strides");
  if (strides == op.attributes.end()) return 1;
  double phases = 1;
  for (const int64_t stride : std::get<std::vector<int64_t>>(strides->second)) {
    phases *= static_cast<double>(stride);
  }
  return phases;
}

}  // namespace

WeightSums SumWeights(const Op& op, absl::Span<const float> stored) {
  const absl::Span<const float> weights = op.inputs[1]->values<float>();
  const Shape& shape = op.inputs[1]->type.shape;
  const auto axis = static_cast<size_t>(op.def->weight_channels);
  size_t inner = 1;
  for (size_t d = axis + 1; d < shape.rank(); ++d) inner *= static_cast<size_t>(shape[d]);
  std::vector<double> errors(static_cast<size_t>(shape[axis]));  // by channel
  WeightSums sums;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i];
    sums.squares += weight * weight;
    if (stored.empty()) continue;
    const double error = static_cast<double>(stored[i]) - weight;
    sums.error_squares += error * error;
    errors[i / inner % errors.size()] += error;
  }
  for (const double error : errors) sums.squared_errors += error * error;
  const auto channels = static_cast<double>(errors.size());
  const double phases = PhasesOf(op);
  return {sums.squares / (channels * phases), sums.error_squares / (channels * phases),
          sums.squared_errors / (channels * phases * phases)};
}

std::vector<float> RealValues(const Tensor& constant) {
  if (constant.type.quant.quantized()) {
    const Constant real = Dequantized(constant);
    const auto* values = reinterpret_cast<const float*>(real.bytes.data());
    return {values, values + real.bytes.size() / sizeof(float)};
  }
  std::vector<float> values;
  if (constant.type.dtype == DataType::kFloat32) {
    const absl::Span<const float> floats = constant.values<float>();
    values.assign(floats.begin(), floats.end());
  } else if (constant.type.dtype == DataType::kFloat16) {
    for (const uint16_t half : constant.values<uint16_t>()) values.push_back(HalfToFloat(half));
  }
  return values;
}

}  // namespace synap_internal
