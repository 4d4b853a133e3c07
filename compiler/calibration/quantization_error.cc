#include "compiler/calibration/quantization_error.h"

#include <algorithm>
#include <cmath>

namespace synap {
namespace {

double Cube(double x) { return x * x * x; }

// What the integers stand for: the multiples of `step` from `low` to `high`.
class Steps {
 public:
  Steps(const QuantParams& quantizer, DataType type) : step_(quantizer.scale()) {
    const IntegerRange integers = RangeOf(type);
    low_ = static_cast<double>(integers.min - quantizer.zero_point()) * step_;
    high_ = static_cast<double>(integers.max - quantizer.zero_point()) * step_;
  }

  double ErrorAt(double x) const {
    const double nearest = std::nearbyint(std::clamp(x, low_, high_) / step_) * step_;
    return (x - nearest) * (x - nearest);
  }

  // The integral of the squared error from 0 to x.
  double IntegralTo(double x) const {
    const double clamped = std::clamp(x, low_, high_);
    return InsideIntegral(clamped) + Cube(x - clamped) / 3;
  }

 private:
  // With u steps from 0, each whole step adds the integral of f^2 from -1/2 to 1/2.
  double InsideIntegral(double x) const {
    const double u = x / step_;
    const double whole = std::nearbyint(u);
    return Cube(step_) * (whole / 12 + Cube(u - whole) / 3);
  }

  double step_;
  double low_;
  double high_;
};

}  // namespace

double MeanSquaredError(const Histogram& histogram, const ValueRange& observed,
                        const QuantParams& quantizer, DataType type) {
  const Steps steps(quantizer, type);
  double sum = 0;
  double total = 0;
  for (int i = histogram.first(); i <= histogram.last(); ++i) {
    const auto count =
        static_cast<double>(histogram.counts()[static_cast<size_t>(i - histogram.first())]);
    if (count == 0) continue;
    const double begin = std::max(histogram.LowerEdge(i), static_cast<double>(observed.min));
    const double end = std::min(histogram.UpperEdge(i), static_cast<double>(observed.max));
    const double mean = end > begin
                            ? (steps.IntegralTo(end) - steps.IntegralTo(begin)) / (end - begin)
                            : steps.ErrorAt(begin);
    sum += count * mean;
    total += count;
  }
  return sum / total;
}

}  // namespace synap
