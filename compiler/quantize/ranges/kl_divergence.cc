#include "compiler/quantize/ranges/kl_divergence.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/float_math.h"
#include "kernels/unary/unary.h"

namespace synap_internal {
namespace {

// x log(x), 0 for 0.
double XLogX(double x) { return x > 0 ? x * static_cast<double>(Log(static_cast<float>(x))) : 0.0; }

// For a value where the quantized distribution has none, instead of infinity: log(10^4), as if one
// value in 10^4 of those were there.
constexpr double kMostDivergence = 9.2103;

constexpr UnaryParams kLog{UnaryFunction::kLog};

// Bins with zero among them, and their sums from the first bin on, so that a range's divergence
// takes one logarithm for each step instead of one for each bin.
class Bins {
 public:
  Bins(Histogram histogram, int most_bins) {
    while (BinsOf(histogram) > most_bins) histogram.Widen();
    width_ = histogram.width();
    zero_ = std::max(-histogram.first(), 0);
    counts_.resize(static_cast<size_t>(BinsOf(histogram)));
    for (int i = histogram.first(); i <= histogram.last(); ++i) {
      counts_[static_cast<size_t>(zero_ + i)] =
          static_cast<double>(histogram.counts()[static_cast<size_t>(i - histogram.first())]);
    }
    CutPeakAtZero();
    for (size_t i = 0; i < counts_.size(); ++i) {
      sums_.push_back(sums_.back() + counts_[i]);
      used_.push_back(used_.back() + (counts_[i] > 0 ? 1 : 0));
      entropies_.push_back(entropies_.back() + XLogX(counts_[i]));
    }
  }

  double width() const { return width_; }
  int size() const { return static_cast<int>(counts_.size()); }
  double total() const { return sums_.back(); }
  // Bins to the left and to the right of zero's.
  int negative() const { return zero_; }
  int positive() const { return size() - 1 - zero_; }
  // Bins that are left if at most `reach` on either side of zero are.
  int SizeWithin(int reach) const {
    return std::min(reach, negative()) + std::min(reach, positive()) + 1;
  }

  // Of P from Q for the range that reaches that far, in nats; 2^bits steps. Negative if the range
  // has no value.
  double Divergence(int reach, int bits) {
    const int first = zero_ - std::min(reach, negative());
    const int size = SizeWithin(reach);
    const double inside = Sum(sums_, first, first + size);
    if (inside == 0) return -1;
    FillSteps(first, size, bits);
    Saturate(steps_.front(), first, sums_[static_cast<size_t>(first)]);
    Saturate(steps_.back(), first + size - 1, Sum(sums_, first + size, this->size()));
    for (size_t i = 0; i < steps_.size(); ++i) {
      logs_[i] = static_cast<float>(steps_[i].kept / steps_[i].used);
    }
    log_(kLog, logs_.data(), logs_.data(), static_cast<int64_t>(logs_.size()));
    double divergence = total() * static_cast<double>(Log(static_cast<float>(inside / total())));
    for (size_t i = 0; i < steps_.size(); ++i) {
      divergence += steps_[i].Divergence(static_cast<double>(logs_[i]));
    }
    return std::max(divergence / total(), 0.0);
  }

 private:
  static int BinsOf(const Histogram& histogram) {
    return std::max(histogram.last(), 0) - std::min(histogram.first(), 0) + 1;
  }
  static double Sum(const std::vector<double>& sums, int begin, int end) {
    return sums[static_cast<size_t>(end)] - sums[static_cast<size_t>(begin)];
  }
  double count(int bin) const { return counts_[static_cast<size_t>(bin)]; }

  void CutPeakAtZero() {
    double neighbours = 0;
    if (zero_ > 0) neighbours += count(zero_ - 1);
    if (zero_ + 1 < size()) neighbours += count(zero_ + 1);
    if (zero_ > 0 && zero_ + 1 < size()) neighbours /= 2;
    counts_[static_cast<size_t>(zero_)] = std::min(count(zero_), neighbours);
  }

  // Of the bins of one step. P and Q are counts here.
  struct Step {
    double kept;     // in the bins
    double used;     // bins that are not empty in P
    double p;        // in P
    double p_log_p;  // the sum over the bins

    // The sum of P log(P / Q). `log_q`: of kept / used.
    double Divergence(double log_q) const {
      const double most = p * kMostDivergence;
      return kept == 0 ? most : std::min(p_log_p - p * log_q, most);
    }
  };

  // The steps of the range of `size` bins from `first` on, as if nothing were outside.
  void FillSteps(int first, int size, int bits) {
    steps_.resize(size_t{1} << bits);
    logs_.resize(steps_.size());
    const int64_t up = (int64_t{1} << bits) - 1;
    int begin = first;
    int64_t product = size;
    for (Step& step : steps_) {
      const int end = first + static_cast<int>((product + up) >> bits);
      product += size;
      const double kept = Sum(sums_, begin, end);
      step = {kept, Sum(used_, begin, end), kept, Sum(entropies_, begin, end)};
      begin = end;
    }
  }

  // Counts what is outside of the range in its last bin on that side, which is in `step`.
  void Saturate(Step& step, int bin, double outside) const {
    if (outside == 0) return;
    step.p += outside;
    step.p_log_p += XLogX(count(bin) + outside) - XLogX(count(bin));
    if (count(bin) == 0) ++step.used;
  }

  double width_ = 0;
  int zero_ = 0;  // its bin's position
  std::vector<double> counts_;
  // Of the bins before each bin: counts, bins that are not empty, count log(count).
  std::vector<double> sums_ = {0};
  std::vector<double> used_ = {0};
  std::vector<double> entropies_ = {0};
  // Of one range's divergence.
  std::vector<Step> steps_;
  std::vector<float> logs_;
  const unary::Run log_ = unary::FindRun(UnaryFunction::kLog);
};

}  // namespace

ValueRange LeastDivergence(const Histogram& histogram, const ValueRange& observed, int bits,
                           int most_bins) {
  Bins bins(histogram, most_bins);
  const int levels = 1 << bits;
  const int farthest = std::max(bins.negative(), bins.positive());
  // Thresholds half a percent of the range apart are near enough.
  const int stride = std::max(farthest / 256, 1);
  int best = farthest;
  double least = std::numeric_limits<double>::infinity();
  for (int reach = farthest; bins.SizeWithin(reach) >= levels; reach -= stride) {
    const double divergence = bins.Divergence(reach, bits);
    if (divergence < 0 || divergence >= least) continue;
    least = divergence;
    best = reach;
  }
  return Cut(observed, (best + 1) * bins.width());
}

}  // namespace synap_internal
