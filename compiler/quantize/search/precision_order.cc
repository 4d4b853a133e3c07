#include "compiler/quantize/search/precision_order.h"

#include <algorithm>
#include <tuple>

namespace synap_internal {

std::vector<size_t> OrderOfGain(absl::Span<const LayerTrial> trials) {
  std::vector<size_t> order;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].noise > 0) order.push_back(i);
  }
  const auto key = [&](size_t i) {
    const LayerTrial& trial = trials[i];
    const bool free = trial.seconds <= 0;
    const double gain = free ? trial.noise : trial.noise / trial.seconds;
    return std::make_tuple(!free, -gain, trial.name);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

size_t BestPoint(absl::Span<const CurvePoint> curve) {
  const auto better = [](const CurvePoint& a, const CurvePoint& b) {
    return std::make_tuple(-a.sqnr_db, a.latency) < std::make_tuple(-b.sqnr_db, b.latency);
  };
  return static_cast<size_t>(std::min_element(curve.begin(), curve.end(), better) - curve.begin());
}

}  // namespace synap_internal
