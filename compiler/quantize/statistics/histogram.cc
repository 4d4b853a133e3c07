#include "compiler/quantize/statistics/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace synap_internal {
namespace {

// The product is exact unless it underflows, and then the bin is 0 as it should be.
int BinOf(float value, float inverse_width) { return static_cast<int>(value * inverse_width); }

float InverseWidth(int exponent) { return std::ldexp(1.0f, -exponent); }

// The bins from `first` to `last`, with those up to zero.
int BinsWithZero(int first, int last) { return std::max(last, 0) - std::min(first, 0) + 1; }

// Neighbours in a tensor are often in the same bin; counting them in different lanes keeps
// increments from waiting for each other. The lanes of a bin are side by side: with addresses that
// differ by a multiple of 4096, processors would take them for the same.
constexpr size_t kLanes = 8;
using Lanes = std::array<std::array<uint16_t, kLanes>, Histogram::kMaxBins>;
// As many values as can't overflow a lane.
constexpr size_t kPart = size_t{1} << 18;
constexpr size_t kBlock = 256;
static_assert(kPart / kLanes + kBlock <= UINT16_MAX && Histogram::kMaxBins <= UINT16_MAX);

// Four bins, read together: counting waits only for loads and stores.
void CountFour(const uint16_t* bins, size_t lane, Lanes& lanes) {
  uint64_t four;
  std::memcpy(&four, bins, sizeof(four));
  ++lanes[four & 0xffff][lane];
  ++lanes[(four >> 16) & 0xffff][lane + 1];
  ++lanes[(four >> 32) & 0xffff][lane + 2];
  ++lanes[four >> 48][lane + 3];
}

// Bins are counted from `first` on. REQUIRES: at most kPart values.
void Count(absl::Span<const float> values, float inverse_width, int first, Lanes& lanes) {
  const auto bin_of = [=](float value) {
    return static_cast<uint16_t>(BinOf(value, inverse_width) - first);
  };
  std::array<uint16_t, kBlock> bins;
  size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock) {
    const float* block = values.data() + i;
    for (size_t j = 0; j < kBlock; ++j) bins[j] = bin_of(block[j]);
    for (size_t j = 0; j < kBlock; j += kLanes) {
      CountFour(&bins[j], 0, lanes);
      CountFour(&bins[j + 4], 4, lanes);
    }
  }
  for (; i < values.size(); ++i) ++lanes[bin_of(values[i])][0];
}

}  // namespace

int Histogram::ExponentOf(const ValueRange& range) {
  const float magnitude = std::max(std::abs(range.min), std::abs(range.max));
  if (magnitude == 0) return kMinExponent;
  // With one less, the larger end alone would be in bin 2048 or above.
  int exponent = std::max(std::ilogb(magnitude) - 10, kMinExponent);
  for (;; ++exponent) {
    const float inverse = InverseWidth(exponent);
    if (BinsWithZero(BinOf(range.min, inverse), BinOf(range.max, inverse)) <= kMaxBins) break;
  }
  return exponent;
}

Histogram Histogram::Of(absl::Span<const float> values, const ValueRange& range) {
  Histogram histogram;
  histogram.exponent_ = ExponentOf(range);
  const float inverse = InverseWidth(histogram.exponent_);
  histogram.first_ = BinOf(range.min, inverse);
  histogram.counts_.resize(static_cast<size_t>(BinOf(range.max, inverse) - histogram.first_ + 1));
  for (size_t i = 0; i < values.size(); i += kPart) {
    Lanes lanes{};
    Count(values.subspan(i, kPart), inverse, histogram.first_, lanes);
    for (size_t b = 0; b < histogram.counts_.size(); ++b) {
      for (const uint16_t lane : lanes[b]) histogram.counts_[b] += lane;
    }
  }
  return histogram;
}

bool Histogram::Matches(const ValueRange& range) const {
  if (exponent_ != ExponentOf(range)) return false;
  const float inverse = InverseWidth(exponent_);
  return first_ == BinOf(range.min, inverse) && last() == BinOf(range.max, inverse) &&
         counts_.front() > 0 && counts_.back() > 0;
}

void Histogram::Widen() {
  if (!empty()) {
    const int first = first_ / 2;
    std::vector<uint64_t> wider(static_cast<size_t>(last() / 2 - first + 1));
    for (int i = first_; i <= last(); ++i) {
      wider[static_cast<size_t>(i / 2 - first)] += counts_[static_cast<size_t>(i - first_)];
    }
    first_ = first;
    counts_ = std::move(wider);
  }
  ++exponent_;
}

void Histogram::Merge(const Histogram& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  if (exponent_ == other.exponent_ && first_ <= other.first() && other.last() <= last()) {
    // Of most samples: no more bins than there are.
    uint64_t* const counts = &counts_[static_cast<size_t>(other.first_ - first_)];
    for (size_t i = 0; i < other.counts_.size(); ++i) counts[i] += other.counts_[i];
    return;
  }
  Histogram added = other;
  while (added.exponent_ < exponent_) added.Widen();
  while (exponent_ < added.exponent_) Widen();
  while (BinsWithZero(std::min(first_, added.first_), std::max(last(), added.last())) > kMaxBins) {
    Widen();
    added.Widen();
  }
  const int first = std::min(first_, added.first_);
  const int last_bin = std::max(last(), added.last());
  counts_.reserve(static_cast<size_t>(last_bin - first + 1));  // exactly, not twice as many
  counts_.insert(counts_.begin(), static_cast<size_t>(first_ - first), 0);
  first_ = first;
  counts_.resize(static_cast<size_t>(last_bin - first + 1));
  for (int i = added.first_; i <= added.last(); ++i) {
    counts_[static_cast<size_t>(i - first)] += added.counts_[static_cast<size_t>(i - added.first_)];
  }
}

double Histogram::width() const { return std::ldexp(1.0, exponent_); }

uint64_t Histogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

}  // namespace synap_internal
