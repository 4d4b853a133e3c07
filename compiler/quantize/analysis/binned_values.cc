#include "compiler/quantize/analysis/binned_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "compiler/quantize/ranges/quantization_error.h"

namespace synap_internal {

double BinnedValues::Begin(int i) const {
  return std::max(histogram_->LowerEdge(i), static_cast<double>(observed_.min));
}

double BinnedValues::End(int i) const {
  return std::min(histogram_->UpperEdge(i), static_cast<double>(observed_.max));
}

double BinnedValues::Count(int i) const {
  return static_cast<double>(histogram_->counts()[static_cast<size_t>(i - histogram_->first())]);
}

double BinnedValues::Mean() const {
  double sum = 0, total = 0;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    sum += Count(i) * (Begin(i) + End(i)) / 2;
    total += Count(i);
  }
  return sum / total;
}

double BinnedValues::MeanSquareWithin(const ValueRange& range) const {
  const double low = range.min, high = range.max;
  double sum = 0, total = 0;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    const double begin = std::clamp(Begin(i), low, high), end = std::clamp(End(i), low, high);
    sum += Count(i) * (begin * begin + begin * end + end * end) / 3;
    total += Count(i);
  }
  return sum / total;
}

double BinnedValues::PartBeside(double value) const {
  double sum = 0, total = 0;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    const bool holds = Begin(i) <= value && value <= End(i);
    sum += holds ? 0 : Count(i);
    total += Count(i);
  }
  return sum / total;
}

double BinnedValues::SquaredError(const TensorType& type, absl::Span<const double> weights) const {
  const std::vector<double> errors = BinErrors(*histogram_, observed_, type.quant, type.dtype);
  double sum = 0, total = 0;
  for (size_t b = 0; b < errors.size(); ++b) {
    const auto count = static_cast<double>(histogram_->counts()[b]);
    sum += count * errors[b] * (weights.empty() ? 1 : weights[b]);
    total += count;
  }
  return sum / total;
}

double BinnedValues::MeanOf(absl::Span<const double> weights) const {
  double sum = 0, total = 0;
  for (size_t b = 0; b < weights.size(); ++b) {
    const auto count = static_cast<double>(histogram_->counts()[b]);
    sum += count * weights[b];
    total += count;
  }
  return sum / total;
}

std::vector<double> BinnedValues::Weights(absl::FunctionRef<double(double)> function) const {
  std::vector<double> weights;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    weights.push_back(function((Begin(i) + End(i)) / 2));
  }
  return weights;
}

std::vector<double> BinnedValues::Inside(const ValueRange& range) const {
  std::vector<double> weights;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    const bool inside = End(i) >= range.min && Begin(i) <= range.max;
    weights.push_back(inside ? 1 : 0);
  }
  return weights;
}

absl::StatusOr<std::vector<double>> BinnedValues::SquaredSlopes(const Op& function,
                                                                size_t operand) const {
  std::vector<float> points;
  for (int i = histogram_->first(); i <= histogram_->last(); ++i) {
    const bool one_value = Begin(i) == End(i);
    points.push_back(static_cast<float>(one_value ? histogram_->LowerEdge(i) : Begin(i)));
    points.push_back(static_cast<float>(one_value ? histogram_->UpperEdge(i) : End(i)));
  }
  const TensorType type{DataType::kFloat32, {static_cast<int64_t>(points.size())}, {}};
  std::vector<TypedConstant> operands;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    if (i == operand) {
      operands.push_back({type, Constant::Of(absl::MakeConstSpan(points))});
    } else {
      const Tensor& scalar = *function.inputs[i];
      operands.push_back({{scalar.type.dtype, Shape({1}), {}}, *scalar.constant});
    }
  }
  ASSIGN_OR_RETURN(const Constant results, EvaluateFunction(function, std::move(operands), type));
  const auto* values = reinterpret_cast<const float*>(results.bytes.data());
  std::vector<double> slopes;
  for (size_t b = 0; b + 1 < points.size(); b += 2) {
    const double run = static_cast<double>(points[b + 1]) - static_cast<double>(points[b]);
    const double rise = static_cast<double>(values[b + 1]) - static_cast<double>(values[b]);
    // A bin may end at a pole that no value reaches.
    slopes.push_back(std::isfinite(rise) ? rise * rise / (run * run) : 0);
  }
  return slopes;
}

}  // namespace synap_internal
