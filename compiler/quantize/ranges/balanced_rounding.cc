#include "compiler/quantize/ranges/balanced_rounding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/element_scales.h"
#include "base/rounding.h"

namespace synap_internal {
namespace {

// Balances channels, one after the other. All weights of a channel have one scale.
class Balancer {
 public:
  Balancer(absl::Span<const float> weights, const TensorType& type)
      : weights_(weights),
        scales_(type.quant, type.shape),
        zero_point_(type.quant.zero_point()),
        range_(RangeOf(type.dtype)),
        integers_(weights.size()) {}

  // Reads the channel with the weights begin, begin + stride, ... (`count` of them).
  void Read(size_t begin, size_t count, size_t stride) {
    begin_ = begin;
    stride_ = stride;
    channel_.resize(count);
    const float scale = scales_[begin];
    for (size_t i = 0; i < count; ++i) {
      const float weight = weights_[begin + i * stride];
      const int32_t integer =
          QuantizeValue(weight, scale, zero_point_, static_cast<int32_t>(range_.min),
                        static_cast<int32_t>(range_.max));
      channel_[i] = {static_cast<double>(weight) / static_cast<double>(scale),
                     integer - zero_point_};
    }
  }

  // Of the channel's kernel with the weights first, first + kernels, ...
  void BalanceKernel(size_t first, size_t kernels) {
    double sum = 0;
    for (size_t i = first; i < channel_.size(); i += kernels) sum += channel_[i].error();
    if (!Moves(sum)) return;
    candidates_.clear();
    for (size_t i = first; i < channel_.size(); i += kernels) AddCandidate(i, sum);
    MoveBy(sum);
  }

  // Of the channel with `kernels` such kernels side by side; each gives at most one weight.
  void BalanceKernels(size_t kernels) {
    double sum = 0;
    for (const Weight& weight : channel_) sum += weight.error();
    if (!Moves(sum)) return;
    candidates_.clear();
    for (size_t k = 0; k < kernels; ++k) {
      size_t best = k;
      for (size_t i = k + kernels; i < channel_.size(); i += kernels) {
        if (Toward(i, sum) > Toward(best, sum)) best = i;
      }
      AddCandidate(best, sum);
    }
    MoveBy(sum);
  }

  void Write() {
    for (size_t i = 0; i < channel_.size(); ++i) {
      integers_[begin_ + i * stride_] = channel_[i].steps + zero_point_;
    }
  }

  std::vector<int32_t> Take() { return std::move(integers_); }

 private:
  // Both in steps from the zero point.
  struct Weight {
    double exact;
    int32_t steps;
    double error() const { return steps - exact; }
  };
  struct Candidate {
    double toward;
    size_t order;  // in which it was added
    size_t weight;
  };

  // How much of weight i's error has the sign of the sum.
  double Toward(size_t i, double sum) const {
    return sum > 0 ? channel_[i].error() : -channel_[i].error();
  }

  // Whether the sum rounds to a step at least.
  static bool Moves(double sum) { return std::isfinite(sum) && std::abs(sum) > 0.5; }

  // Only weights between two integers: one that saturates has no second nearest.
  void AddCandidate(size_t i, double sum) {
    const double toward = Toward(i, sum);
    const int32_t moved = channel_[i].steps + zero_point_ + (sum > 0 ? -1 : 1);
    if (toward > 0 && toward <= 0.5 && moved >= range_.min && moved <= range_.max) {
      candidates_.push_back({toward, candidates_.size(), i});
    }
  }

  // Takes |sum| rounded off the candidates' errors, of those with the largest ones.
  void MoveBy(double sum) {
    const double wanted =
        std::min(std::nearbyint(std::abs(sum)), static_cast<double>(candidates_.size()));
    const auto end = candidates_.begin() + static_cast<ptrdiff_t>(wanted);
    std::nth_element(candidates_.begin(), end, candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.toward != b.toward ? a.toward > b.toward : a.order < b.order;
                     });
    for (auto c = candidates_.begin(); c != end; ++c) channel_[c->weight].steps += sum > 0 ? -1 : 1;
  }

  const absl::Span<const float> weights_;
  const ElementScales scales_;
  const int32_t zero_point_;
  const IntegerRange range_;
  std::vector<int32_t> integers_;
  // Of the channel that was read.
  size_t begin_ = 0;
  size_t stride_ = 0;
  std::vector<Weight> channel_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<int32_t> BalancedIntegers(absl::Span<const float> weights, const TensorType& type,
                                      int axis) {
  if (weights.empty()) return {};
  const Shape& shape = type.shape;
  Balancer balancer(weights, type);
  const auto last = static_cast<size_t>(shape.back());
  if (axis != 0) {
    for (size_t c = 0; c < last; ++c) {
      balancer.Read(c, weights.size() / last, last);
      balancer.BalanceKernel(0, 1);
      balancer.Write();
    }
    return balancer.Take();
  }
  const auto channels = static_cast<size_t>(shape[0]);
  const size_t size = weights.size() / channels;
  for (size_t o = 0; o < channels; ++o) {
    balancer.Read(o * size, size, 1);
    // Kernels of one tap have nothing to balance.
    for (size_t k = 0; k < last && size > last; ++k) balancer.BalanceKernel(k, last);
    balancer.BalanceKernels(last);
    balancer.Write();
  }
  return balancer.Take();
}

}  // namespace synap_internal
