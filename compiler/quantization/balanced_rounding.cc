#include "compiler/quantization/balanced_rounding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/element_scales.h"
#include "base/rounding.h"

namespace synap_internal {
namespace {

class Balancer {
 public:
  Balancer(absl::Span<const float> weights, const TensorType& type)
      : weights_(weights),
        scales_(type.quant, type.shape),
        zero_point_(type.quant.zero_point()),
        range_(RangeOf(type.dtype)) {
    integers_.reserve(weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      integers_.push_back(QuantizeValue(weights[i], scales_[i], zero_point_,
                                        static_cast<int32_t>(range_.min),
                                        static_cast<int32_t>(range_.max)));
    }
  }

  // Of the kernel with the weights begin, begin + stride, ... (`taps` of them).
  void BalanceKernel(size_t begin, size_t taps, size_t stride) {
    if (taps < 2) return;
    std::vector<size_t> members;
    double sum = 0;
    for (size_t t = 0; t < taps; ++t) {
      members.push_back(begin + t * stride);
      sum += Error(members.back());
    }
    MoveBy(sum, members);
  }

  // Of a channel with `kernels` such kernels side by side; each gives at most one weight.
  void BalanceChannel(size_t begin, size_t taps, size_t kernels) {
    double sum = 0;
    for (size_t i = 0; i < taps * kernels; ++i) sum += Error(begin + i);
    std::vector<size_t> candidates;
    for (size_t k = 0; k < kernels && taps > 0; ++k) {
      size_t best = begin + k;
      for (size_t t = 1; t < taps; ++t) {
        const size_t i = begin + k + t * kernels;
        if (Toward(i, sum) > Toward(best, sum)) best = i;
      }
      candidates.push_back(best);
    }
    MoveBy(sum, candidates);
  }

  std::vector<int32_t> Take() { return std::move(integers_); }

 private:
  // How far the integer is above the weight, in steps. Not kept: it would take thrice the memory.
  double Error(size_t i) const {
    const double exact = static_cast<double>(weights_[i]) / static_cast<double>(scales_[i]);
    return integers_[i] - zero_point_ - exact;
  }

  // How much of weight i's error has the sign of the sum.
  double Toward(size_t i, double sum) const { return sum > 0 ? Error(i) : -Error(i); }

  // Takes |sum| rounded off the candidates' errors. Only those between two integers: a
  // weight that saturates has no second nearest.
  void MoveBy(double sum, std::vector<size_t>& candidates) {
    if (!std::isfinite(sum)) return;
    const auto movable = [&](size_t i) {
      const int32_t moved = integers_[i] + (sum > 0 ? -1 : 1);
      return Toward(i, sum) > 0 && Toward(i, sum) <= 0.5 && moved >= range_.min &&
             moved <= range_.max;
    };
    candidates.erase(
        std::remove_if(candidates.begin(), candidates.end(), [&](size_t i) { return !movable(i); }),
        candidates.end());
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](size_t a, size_t b) { return Toward(a, sum) > Toward(b, sum); });
    const auto wanted = static_cast<size_t>(std::nearbyint(std::abs(sum)));
    candidates.resize(std::min(wanted, candidates.size()));
    for (const size_t i : candidates) integers_[i] += sum > 0 ? -1 : 1;
  }

  const absl::Span<const float> weights_;
  const ElementScales scales_;
  const int32_t zero_point_;
  const IntegerRange range_;
  std::vector<int32_t> integers_;
};

}  // namespace

std::vector<int32_t> BalancedIntegers(absl::Span<const float> weights, const TensorType& type,
                                      int axis) {
  if (weights.empty()) return {};
  const Shape& shape = type.shape;
  Balancer balancer(weights, type);
  const auto last = static_cast<size_t>(shape.back());
  if (axis != 0) {
    for (size_t c = 0; c < last; ++c) balancer.BalanceKernel(c, weights.size() / last, last);
    return balancer.Take();
  }
  const auto channels = static_cast<size_t>(shape[0]);
  const size_t taps = weights.size() / channels / last;
  for (size_t o = 0; o < channels; ++o) {
    const size_t begin = o * taps * last;
    for (size_t k = 0; k < last; ++k) balancer.BalanceKernel(begin + k, taps, last);
    balancer.BalanceChannel(begin, taps, last);
  }
  return balancer.Take();
}

}  // namespace synap_internal
