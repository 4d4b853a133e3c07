// Mergeable histogram of a tensor's values, in bins that make merging exact.
#ifndef COMPILER_QUANTIZE_STATISTICS_HISTOGRAM_H_
#define COMPILER_QUANTIZE_STATISTICS_HISTOGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// Counts in bins of width w = 2^exponent. A value x is in bin trunc(x / w): bin i > 0 is
// [i w, (i + 1) w), bin i < 0 is ((i - 1) w, i w], bin 0 is (-w, w).
//
// The exponent is the smallest for which the bins from the smallest to the largest value, those up
// to zero included, are at most kMaxBins. Bins of twice the width are pairs of bins (trunc(x / 2w)
// = trunc(trunc(x / w) / 2)), so a histogram depends only on the values, neither on their order nor
// on how they were divided before a merge.
class Histogram {
 public:
  static constexpr int kMaxBins = 2048;
  // Width of the smallest normal float, whose inverse is a float too. All values below are in bin
  // 0.
  static constexpr int kMinExponent = -126;
  // The exponent that the values of this range get.
  static int ExponentOf(const ValueRange& range);

  // An empty histogram.
  Histogram() = default;
  // REQUIRES: `values` are finite, `range` is exactly theirs; at least one.
  static Histogram Of(absl::Span<const float> values, const ValueRange& range);
  // Bins as another histogram had them. REQUIRES: Matches(the range of the values).
  Histogram(int exponent, int first, std::vector<uint64_t> counts)
      : exponent_(exponent), first_(first), counts_(std::move(counts)) {}

  // Whether values of exactly this range can have such a histogram.
  bool Matches(const ValueRange& range) const;

  void Merge(const Histogram& other);
  // Pairs of bins become one.
  void Widen();

  int exponent() const { return exponent_; }
  double width() const;
  bool empty() const { return counts_.empty(); }
  // The first and the last bin are not empty.
  int first() const { return first_; }
  int last() const { return first_ + static_cast<int>(counts_.size()) - 1; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  uint64_t total() const;

  // Where bin i begins and ends.
  double LowerEdge(int i) const { return width() * (i > 0 ? i : i - 1); }
  double UpperEdge(int i) const { return width() * (i < 0 ? i : i + 1); }

 private:
  int exponent_ = kMinExponent;
  int first_ = 0;
  std::vector<uint64_t> counts_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_HISTOGRAM_H_
