#include "compiler/quantization/kl_divergence.h"

#include <algorithm>
#include <vector>

#include "base/float_math.h"

namespace synap_internal {
namespace {

// x log(x), 0 for 0.
double XLogX(double x) { return x > 0 ? x * static_cast<double>(Log(static_cast<float>(x))) : 0.0; }

// For a value where the quantized distribution has none, instead of infinity: log(10^4), as if one
// value in 10^4 of those were there.
constexpr double kMostDivergence = 9.2103;

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

  // Of P from Q for the range that reaches that far, in nats; `levels` steps. Negative if the range
  // has no value.
  double Divergence(int reach, int levels) const {
    const int begin = zero_ - std::min(reach, negative());
    const int size = SizeWithin(reach);
    const double inside = Sum(sums_, begin, begin + size);
    if (inside == 0) return -1;
    double divergence = total() * static_cast<double>(Log(static_cast<float>(inside / total())));
    for (int level = 0; level < levels; ++level) {
      divergence += OfLevel(begin + FirstOf(level, size, levels),
                            begin + FirstOf(level + 1, size, levels), begin, begin + size);
    }
    return std::max(divergence / total(), 0.0);
  }

 private:
  static int BinsOf(const Histogram& histogram) {
    return std::max(histogram.last(), 0) - std::min(histogram.first(), 0) + 1;
  }
  static int FirstOf(int level, int size, int levels) {
    return static_cast<int>((int64_t{level} * size + levels - 1) / levels);
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

  // What the bins [begin, end) add to the sum of P log(P / Q) in a range [first, last) of bins. P
  // and Q are counts here.
  double OfLevel(int begin, int end, int first, int last) const {
    const double kept = Sum(sums_, begin, end);
    double p = kept;
    double p_log_p = Sum(entropies_, begin, end);
    double used = Sum(used_, begin, end);
    const auto saturate = [&](int bin, double outside) {
      if (outside == 0 || bin < begin || bin >= end) return;
      p += outside;
      p_log_p += XLogX(count(bin) + outside) - XLogX(count(bin));
      if (count(bin) == 0) ++used;
    };
    saturate(first, sums_[static_cast<size_t>(first)]);
    saturate(last - 1, Sum(sums_, last, size()));
    const double most = p * kMostDivergence;
    if (kept == 0) return most;
    return std::min(p_log_p - p * static_cast<double>(Log(static_cast<float>(kept / used))), most);
  }

  double width_ = 0;
  int zero_ = 0;  // its bin's position
  std::vector<double> counts_;
  // Of the bins before each bin: counts, bins that are not empty, count log(count).
  std::vector<double> sums_ = {0};
  std::vector<double> used_ = {0};
  std::vector<double> entropies_ = {0};
};

}  // namespace

ValueRange LeastDivergence(const Histogram& histogram, const ValueRange& observed, int bits,
                           int most_bins) {
  const Bins bins(histogram, most_bins);
  const int levels = 1 << bits;
  const int farthest = std::max(bins.negative(), bins.positive());
  // Thresholds half a percent of the range apart are near enough.
  const int stride = std::max(farthest / 256, 1);
  int best = farthest;
  double least = bins.Divergence(farthest, levels);
  for (int reach = farthest - stride; bins.SizeWithin(reach) >= levels; reach -= stride) {
    const double divergence = bins.Divergence(reach, levels);
    if (divergence < 0 || divergence >= least) continue;
    least = divergence;
    best = reach;
  }
  return Cut(observed, (best + 1) * bins.width());
}

}  // namespace synap_internal
