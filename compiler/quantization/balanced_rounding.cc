#include "compiler/quantization/balanced_rounding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/element_scales.h"
#include "base/rounding.h"

namespace synap {
namespace {

// A weight's integer and how far it is above the exact value, in steps.
struct Rounded {
  int32_t integer;
  double error;
};

class Balancer {
 public:
  Balancer(absl::Span<const float> weights, const TensorType& type) : range_(RangeOf(type.dtype)) {
    const ElementScales scales(type.quant, type.shape);
    const int32_t zero_point = type.quant.zero_point();
    for (size_t i = 0; i < weights.size(); ++i) {
      const int32_t integer =
          QuantizeValue(weights[i], scales[i], zero_point, static_cast<int32_t>(range_.min),
                        static_cast<int32_t>(range_.max));
      const double exact = static_cast<double>(weights[i]) / static_cast<double>(scales[i]);
      weights_.push_back({integer, integer - zero_point - exact});
    }
  }

  // Of the weights begin, begin + stride, ... (`count` of them).
  void BalanceKernel(size_t begin, size_t count, size_t stride) {
    std::vector<size_t> members;
    for (size_t i = 0; i < count; ++i) members.push_back(begin + i * stride);
    Move(members);
  }

  // Of kernels with equally many weights; each gives at most one of them.
  void BalanceChannel(const std::vector<std::vector<size_t>>& kernels) {
    double sum = 0;
    for (const std::vector<size_t>& kernel : kernels) {
      for (const size_t i : kernel) sum += weights_[i].error;
    }
    std::vector<size_t> candidates;
    for (const std::vector<size_t>& kernel : kernels) {
      candidates.push_back(*std::max_element(kernel.begin(), kernel.end(), [&](size_t a, size_t b) {
        return Toward(a, sum) < Toward(b, sum);
      }));
    }
    MoveBy(sum, candidates);
  }

  std::vector<int32_t> Integers() const {
    std::vector<int32_t> integers;
    for (const Rounded& weight : weights_) integers.push_back(weight.integer);
    return integers;
  }

 private:
  // How much of weight i's error has the sign of the sum.
  double Toward(size_t i, double sum) const {
    return sum > 0 ? weights_[i].error : -weights_[i].error;
  }

  void Move(std::vector<size_t>& members) {
    double sum = 0;
    for (const size_t i : members) sum += weights_[i].error;
    MoveBy(sum, members);
  }

  // Takes |sum| rounded off the candidates' errors. Only those between two integers: one that
  // saturates has no second nearest.
  void MoveBy(double sum, std::vector<size_t>& candidates) {
    if (!std::isfinite(sum)) return;
    const auto movable = [&](size_t i) {
      const int32_t moved = weights_[i].integer + (sum > 0 ? -1 : 1);
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
    for (const size_t i : candidates) {
      const int step = sum > 0 ? -1 : 1;
      weights_[i].integer += step;
      weights_[i].error += step;
    }
  }

  const IntegerRange range_;
  std::vector<Rounded> weights_;
};

}  // namespace

std::vector<int32_t> BalancedIntegers(absl::Span<const float> weights, const TensorType& type,
                                      int axis) {
  const Shape& shape = type.shape;
  Balancer balancer(weights, type);
  const auto last = static_cast<size_t>(shape.back());
  if (axis != 0) {
    for (size_t c = 0; c < last; ++c) balancer.BalanceKernel(c, weights.size() / last, last);
    return balancer.Integers();
  }
  const auto channels = static_cast<size_t>(shape[0]);
  const size_t of_channel = channels == 0 ? 0 : weights.size() / channels;
  for (size_t o = 0; o < channels; ++o) {
    std::vector<std::vector<size_t>> kernels(last);
    for (size_t k = 0; k < last; ++k) {
      balancer.BalanceKernel(o * of_channel + k, of_channel / last, last);
      for (size_t i = k; i < of_channel; i += last) kernels[k].push_back(o * of_channel + i);
    }
    if (!kernels.empty() && !kernels[0].empty()) balancer.BalanceChannel(kernels);
  }
  return balancer.Integers();
}

}  // namespace synap
