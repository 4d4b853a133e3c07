#include "compiler/quantize/ranges/kl_divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace synap_internal {
namespace {

constexpr int kAllBins = Histogram::kMaxBins;

// Values in the bins [low, high), 500 in even ones and 1500 in odd ones, and one at `outlier`. The
// width is that for 4: 2^-8. Steps of two bins or more level that out, a divergence of
// 1/4 log(1/2) + 3/4 log(3/2) = 0.13.
std::vector<float> Values(int low, int high, float outlier) {
  std::vector<float> values;
  for (int bin = low; bin < high; ++bin) {
    for (int i = 0; i < (bin % 2 == 0 ? 500 : 1500); ++i)
      values.push_back(static_cast<float>(bin) / 256);
  }
  values.push_back(outlier);
  return values;
}

ValueRange Chosen(const std::vector<float>& values, ValueRange range, int bits = 8,
                  int most_bins = kAllBins) {
  return LeastDivergence(Histogram::Of(values, range), range, bits, most_bins);
}

TEST(KlDivergenceTest, SaturatesAnOutlier) {
  // Bins 0 to 255 are full, the outlier is in bin 1024. 256 bins for 256 steps are the least.
  const ValueRange chosen = Chosen(Values(0, 256, 4), {0, 4});
  EXPECT_EQ(chosen.min, 0);
  EXPECT_EQ(chosen.max, 257.0f / 256);
}

TEST(KlDivergenceTest, SaturatesAnOutlierOfEitherSign) {
  // Bins -200 to 199. Cutting both ends together, only the end with the outlier moves.
  EXPECT_EQ(Chosen(Values(-200, 200, 4), {-200.0f / 256, 4}),
            (ValueRange{-200.0f / 256, 201.0f / 256}));
  EXPECT_EQ(Chosen(Values(-200, 200, -4), {-4, 199.0f / 256}),
            (ValueRange{-201.0f / 256, 199.0f / 256}));
}

TEST(KlDivergenceTest, KeepsWhatIsFull) {
  // Cutting anything off would cost more than 0.13.
  EXPECT_EQ(Chosen(Values(0, 1024, 4), {0, 4}), (ValueRange{0, 4}));
  EXPECT_GE(Chosen(Values(-512, 512, 2), {-2, 2}).max, 511.0f / 256);
}

TEST(KlDivergenceTest, KeepsAnOutlierIfStepsLoseNothing) {
  // As many values in each bin: the mean over a step is what was there.
  std::vector<float> values;
  for (int i = 0; i < 256 * 100; ++i) values.push_back(static_cast<float>(i % 256) / 256);
  values.push_back(4);
  EXPECT_EQ(Chosen(values, {0, 4}), (ValueRange{0, 4}));
}

TEST(KlDivergenceTest, KeepsWhatHasNoMoreBinsThanSteps) {
  EXPECT_EQ(Chosen(Values(0, 256, 4), {0, 4}, 16), (ValueRange{0, 4}));
  EXPECT_EQ(Chosen(Values(0, 256, 4), {0, 4}, 8, 256), (ValueRange{0, 4}));
  EXPECT_EQ(Chosen({0, 0, 0}, {0, 0}), (ValueRange{0, 0}));
  EXPECT_EQ(Chosen({7}, {7, 7}), (ValueRange{7, 7}));
}

TEST(KlDivergenceTest, FewerStepsMayCutFurther) {
  const ValueRange chosen = Chosen(Values(0, 128, 4), {0, 4}, 7);
  EXPECT_GE(chosen.max, 0.5f);
  EXPECT_LE(chosen.max, 132.0f / 256);
}

TEST(KlDivergenceTest, APeakAtZeroDoesNotMatter) {
  std::vector<float> values = Values(0, 1024, 4);
  values.insert(values.end(), 10000000, 0.0f);
  EXPECT_EQ(Chosen(values, {0, 4}), (ValueRange{0, 4}));
}

TEST(KlDivergenceTest, RangesFarFromZeroKeepAValue) {
  std::vector<float> values(1000, 3.0f);
  values.push_back(4);
  const ValueRange chosen = Chosen(values, {3, 4});
  EXPECT_EQ(chosen.min, 3);
  EXPECT_GE(chosen.max, 3);
  EXPECT_LE(chosen.max, 4);
}

// The divergence of the bins [begin, end) as the header defines it, step by step and bin by bin.
double Divergence(const std::vector<double>& counts, int begin, int end, int levels) {
  std::vector<double> q(counts.begin() + begin, counts.begin() + end), p = q;
  p.front() += std::accumulate(counts.begin(), counts.begin() + begin, 0.0);
  p.back() += std::accumulate(counts.begin() + end, counts.end(), 0.0);
  const double inside = std::accumulate(q.begin(), q.end(), 0.0);
  if (inside == 0) return INFINITY;
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  const auto size = static_cast<int64_t>(p.size());
  double sum = 0;
  for (int level = 0; level < levels; ++level) {
    const auto first = static_cast<size_t>((level * size + levels - 1) / levels);
    const auto last = static_cast<size_t>(((level + 1) * size + levels - 1) / levels);
    double kept = 0, whole = 0, used = 0;
    for (size_t i = first; i < last; ++i) {
      kept += q[i];
      whole += p[i];
      used += p[i] > 0 ? 1 : 0;
    }
    double part = kept == 0 ? INFINITY : 0;
    for (size_t i = first; i < last; ++i) {
      if (p[i] > 0) part += p[i] * std::log(p[i] * used / kept);
    }
    if (whole > 0) sum += std::min(part, whole * 9.2103);
  }
  return sum / total + std::log(inside / total);
}

// The best range by the definition. `first`: the position of counts[0] from zero's bin.
ValueRange BestByDefinition(int first, std::vector<double> counts, const ValueRange& observed,
                            int bits) {
  const int last = first + static_cast<int>(counts.size()) - 1;
  if (first > 0) counts.insert(counts.begin(), static_cast<size_t>(first), 0);
  if (last < 0) counts.insert(counts.end(), static_cast<size_t>(-last), 0);
  const int zero = std::max(-first, 0), size = static_cast<int>(counts.size());
  std::vector<double> neighbours;
  if (zero > 0) neighbours.push_back(counts[static_cast<size_t>(zero - 1)]);
  if (zero + 1 < size) neighbours.push_back(counts[static_cast<size_t>(zero + 1)]);
  const double mean = std::accumulate(neighbours.begin(), neighbours.end(), 0.0) /
                      static_cast<double>(neighbours.size());
  double& peak = counts[static_cast<size_t>(zero)];
  peak = std::min(peak, mean);
  ValueRange best = observed;
  double least = INFINITY;
  for (int reach = std::max(zero, size - 1 - zero); reach > 0; --reach) {
    const int begin = std::max(zero - reach, 0), end = std::min(zero + reach + 1, size);
    if (end - begin < 1 << bits) break;
    const double divergence = Divergence(counts, begin, end, 1 << bits);
    if (divergence >= least) continue;
    least = divergence;
    best = Cut(observed, reach + 1);
  }
  return best;
}

TEST(KlDivergenceTest, TheRangeHasTheSmallestDivergenceOfAll) {
  uint32_t state = 1;
  const auto random = [&](uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
  };
  for (int round = 0; round < 300; ++round) {
    // More than 2^bits bins with zero's, some of them empty, fewer and fewer values at the ends.
    const int size = 40 + static_cast<int>(random(100));
    const int somewhere = static_cast<int>(random(160)) - 120;
    // With no bin, one bin or some on either side of zero's.
    const int firsts[] = {0, 1 - size, -1, 2 - size, somewhere, somewhere};
    const int first = firsts[round % 6];
    std::vector<uint64_t> counts;
    for (int i = 0; i < size; ++i) {
      const uint32_t far = static_cast<uint32_t>(std::abs(first + i)) / (3 + random(20));
      counts.push_back(random(5) == 0 ? 0 : random(2 + (2000u >> std::min(far, 10u))));
    }
    counts.front() = counts.back() = 1 + random(3);
    if (first <= 0 && first + size > 0 && round % 5 < 2) counts[static_cast<size_t>(-first)] = 5000;
    const int bits = 2 + static_cast<int>(random(3));
    const ValueRange observed{static_cast<float>(first), static_cast<float>(first + size - 1)};
    const ValueRange best = BestByDefinition(first, {counts.begin(), counts.end()}, observed, bits);
    const Histogram histogram(0, first, counts);
    const int bins = std::max(histogram.last(), 0) - std::min(first, 0) + 1;
    EXPECT_EQ(LeastDivergence(histogram, observed, bits, kAllBins), best) << "round " << round;
    EXPECT_EQ(LeastDivergence(histogram, observed, bits, bins), best) << "round " << round;
  }
}

TEST(KlDivergenceTest, AValueWhereNoStepIsCostsTheLogarithmOf10000) {
  // 1.2 % of the values are at 4: 9.2 times as much, less what remains gains, is below 0.13.
  std::vector<float> values = Values(0, 256, 4);
  values.insert(values.end(), 3000, 4.0f);
  EXPECT_EQ(Chosen(values, {0, 4}).max, 257.0f / 256);
  values.insert(values.end(), 2000, 4.0f);
  EXPECT_EQ(Chosen(values, {0, 4}).max, 4);
}

}  // namespace
}  // namespace synap_internal
