#include "compiler/calibration/quantization_error.h"

#include <algorithm>
#include <cmath>

namespace synap {
namespace {

double Cube(double x) { return x * x * x; }

// The steps of a quantizer: multiples of `step` from `low` to `high`.
class Steps {
 public:
  Steps(const ValueRange& covered, int bits) {
    const double min = std::min(0.0, static_cast<double>(covered.min));
    const double max = std::max(0.0, static_cast<double>(covered.max));
    const double intervals = (1 << bits) - 1;
    step_ = (max - min) / intervals;
    if (step_ == 0) return;
    low_ = std::nearbyint(min / step_) * step_;
    high_ = low_ + intervals * step_;
  }

  double ErrorAt(double x) const {
    const double clamped = std::clamp(x, low_, high_);
    const double nearest = step_ == 0 ? 0 : std::nearbyint(clamped / step_) * step_;
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
    if (step_ == 0) return 0;
    const double u = x / step_;
    const double whole = std::nearbyint(u);
    return Cube(step_) * (whole / 12 + Cube(u - whole) / 3);
  }

  double step_ = 0;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace

double MeanSquaredError(const Histogram& histogram, const ValueRange& observed,
                        const ValueRange& covered, int bits) {
  const Steps steps(covered, bits);
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
