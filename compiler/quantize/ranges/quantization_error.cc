#include "compiler/quantize/ranges/quantization_error.h"

#include <algorithm>
#include <cmath>

namespace synap_internal {
namespace {

double Cube(double x) { return x * x * x; }

// The real numbers of the integers: the multiples of `step` from `low` to `high`.
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

double CountOf(const Histogram& histogram, int i) {
  return static_cast<double>(histogram.counts()[static_cast<size_t>(i - histogram.first())]);
}

// The mean squared error of the values in bin i.
double BinError(const Histogram& histogram, int i, const ValueRange& observed, const Steps& steps) {
  const double begin = std::max(histogram.LowerEdge(i), static_cast<double>(observed.min));
  const double end = std::min(histogram.UpperEdge(i), static_cast<double>(observed.max));
  return end > begin ? (steps.IntegralTo(end) - steps.IntegralTo(begin)) / (end - begin)
                     : steps.ErrorAt(begin);
}

}  // namespace

double MeanSquaredError(const Histogram& histogram, const ValueRange& observed,
                        const QuantParams& quantizer, DataType type) {
  const Steps steps(quantizer, type);
  double sum = 0;
  double total = 0;
  for (int i = histogram.first(); i <= histogram.last(); ++i) {
    const double count = CountOf(histogram, i);
    if (count == 0) continue;
    sum += count * BinError(histogram, i, observed, steps);
    total += count;
  }
  return sum / total;
}

std::vector<double> BinErrors(const Histogram& histogram, const ValueRange& observed,
                              const QuantParams& quantizer, DataType type) {
  const Steps steps(quantizer, type);
  std::vector<double> errors;
  for (int i = histogram.first(); i <= histogram.last(); ++i) {
    const bool empty = CountOf(histogram, i) == 0;
    errors.push_back(empty ? 0 : BinError(histogram, i, observed, steps));
  }
  return errors;
}

}  // namespace synap_internal
