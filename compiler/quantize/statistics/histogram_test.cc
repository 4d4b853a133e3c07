#include "compiler/quantize/statistics/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

Histogram Of(absl::Span<const float> values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return Histogram::Of(values, {*min, *max});
}

void ExpectSame(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.exponent(), b.exponent());
  EXPECT_EQ(a.first(), b.first());
  EXPECT_EQ(a.counts(), b.counts());
}

TEST(HistogramTest, TheWidthIsTheSmallestThatFits) {
  EXPECT_EQ(Histogram::ExponentOf({0, 0}), -126);
  EXPECT_EQ(Histogram::ExponentOf({0, kDenormal}), -126);
  EXPECT_EQ(Histogram::ExponentOf({0, 1}), -10);      // 1025 bins; half the width: 2049
  EXPECT_EQ(Histogram::ExponentOf({0.5f, 1}), -10);   // zero counts
  EXPECT_EQ(Histogram::ExponentOf({-1, 1}), -9);      // 1025 bins; half the width: 2049
  EXPECT_EQ(Histogram::ExponentOf({-1, 0.9f}), -10);  // 1946 bins
  EXPECT_EQ(Histogram::ExponentOf({-kLargest, 0}), 117);
  EXPECT_EQ(Histogram::ExponentOf({-kLargest, kLargest}), 118);
}

TEST(HistogramTest, CountsInBinsAlignedAtZero) {
  // Width 2^-9: bin -512 ends at -1; bin 0 is (-1/512, 1/512).
  const Histogram histogram = Of({-1, -0.0019f, -0.0f, 0, 0.0019f, 0.00196f, 1});
  EXPECT_EQ(histogram.exponent(), -9);
  EXPECT_EQ(histogram.first(), -512);
  EXPECT_EQ(histogram.last(), 512);
  EXPECT_EQ(histogram.counts()[0], 1u);
  EXPECT_EQ(histogram.counts()[512], 4u);
  EXPECT_EQ(histogram.counts()[513], 1u);
  EXPECT_EQ(histogram.total(), 7u);
  EXPECT_EQ(histogram.LowerEdge(-512), -513.0 / 512);
  EXPECT_EQ(histogram.UpperEdge(-512), -1);
  EXPECT_EQ(histogram.LowerEdge(0), -1.0 / 512);
  EXPECT_EQ(histogram.UpperEdge(512), 513.0 / 512);
}

TEST(HistogramTest, TakesZerosDenormalsAndTheLargestValues) {
  EXPECT_THAT(Of({0, 0, -0.0f}).counts(), ElementsAre(3));
  EXPECT_THAT(Of({kDenormal, -kDenormal, 1e-39f}).counts(), ElementsAre(3));
  // Far below the width: the product underflows.
  EXPECT_EQ(Of({-kDenormal, kLargest}).counts().front(), 1u);
  const Histogram largest = Of({-kLargest, kLargest, 1});
  EXPECT_EQ(largest.first(), -1023);
  EXPECT_EQ(largest.last(), 1023);
}

// Values of all magnitudes, more and more of them far out.
std::vector<float> Values(size_t count) {
  std::mt19937 random(1);
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<float>(random() % 2001) - 1000.0f;
    values.push_back(std::ldexp(bits, static_cast<int>(random() % 12) - static_cast<int>(i % 30)));
  }
  return values;
}

TEST(HistogramTest, AnyShardingMergesToTheSame) {
  const std::vector<float> values = Values(5000);
  const Histogram whole = Of(values);
  EXPECT_EQ(whole.total(), values.size());
  for (const size_t shards : {2u, 3u, 7u, 100u, 5000u}) {
    std::vector<std::vector<float>> dealt(shards);
    for (size_t i = 0; i < values.size(); ++i) dealt[i * 7919 % shards].push_back(values[i]);
    Histogram merged, backwards;
    for (size_t s = 0; s < shards; ++s) {
      merged.Merge(Of(dealt[s]));
      backwards.Merge(Of(dealt[shards - 1 - s]));
    }
    ExpectSame(merged, whole);
    ExpectSame(backwards, whole);
  }
}

TEST(HistogramTest, CountsMoreValuesThanALaneHolds) {
  std::vector<float> values(600000, 1.0f);
  for (size_t i = 0; i < values.size(); i += 3) values[i] = static_cast<float>(i % 2);
  const Histogram histogram = Of(values);
  EXPECT_EQ(histogram.counts().front(), 100000u);
  EXPECT_EQ(histogram.counts().back(), 500000u);
  EXPECT_EQ(histogram.total(), values.size());
}

TEST(HistogramTest, CountsAsManyEqualValues) {
  EXPECT_THAT(Of(std::vector<float>(600000, 1.0f)).counts(), ElementsAre(600000));
}

TEST(HistogramTest, MergingWithNothingChangesNothing) {
  Histogram histogram = Of({1, 2});
  histogram.Merge({});
  ExpectSame(histogram, Of({1, 2}));
}

TEST(HistogramTest, MergingTakesNoMemoryForBinsThatThereArent) {
  Histogram histogram = Of({0, 1});
  for (int i = 1; i < 500; ++i) {
    histogram.Merge(Of({0, 1 + static_cast<float>(i) / 1024}));
    ASSERT_EQ(histogram.counts().capacity(), histogram.counts().size()) << i;
  }
}

TEST(HistogramTest, MergingWidensBinsThatWouldBeTooMany) {
  // 2047 bins of 2^-10 beside that of zero.
  constexpr float kEnd = 1.9995f, kBin = 1.0f / 1024;
  for (const std::vector<float>& added :
       {std::vector<float>{0.5f}, {-kBin}, {-kEnd}, {2 * kEnd}, {kEnd, -0.5f * kBin}}) {
    for (const float sign : {1.0f, -1.0f}) {
      std::vector<float> first = {0, kEnd * sign}, second = added;
      for (float& value : second) value *= sign;
      Histogram merged = Of(first);
      merged.Merge(Of(second));
      first.insert(first.end(), second.begin(), second.end());
      ExpectSame(merged, Of(first));
    }
  }
}

TEST(HistogramTest, AnEmptyOneStaysEmpty) {
  Histogram histogram;
  histogram.Widen();
  EXPECT_TRUE(histogram.empty());
}

TEST(HistogramTest, WideningPairsBins) {
  Histogram histogram(-9, -3, {1, 2, 3, 4, 5, 6});  // bins -3 to 2
  histogram.Widen();
  EXPECT_EQ(histogram.exponent(), -8);
  EXPECT_EQ(histogram.first(), -1);
  EXPECT_THAT(histogram.counts(), ElementsAre(3, 12, 6));  // -3 and -2; -1, 0 and 1; 2
}

TEST(HistogramTest, MatchesOnlyTheRangeOfItsValues) {
  const Histogram histogram = Of({-1, 0.25f, 1});
  EXPECT_TRUE(histogram.Matches({-1, 1}));
  EXPECT_FALSE(histogram.Matches({-1, 2}));
  EXPECT_FALSE(histogram.Matches({-0.5f, 1}));
  EXPECT_FALSE(histogram.Matches({-1.01f, 1})) << "the same width";
  EXPECT_FALSE(histogram.Matches({-1, 1.01f})) << "the same width";
  Histogram wider = histogram;
  wider.Widen();
  EXPECT_FALSE(wider.Matches({-1, 1}));
  std::vector<uint64_t> counts(1025);
  for (const size_t end : {size_t{0}, counts.size() - 1}) {
    EXPECT_FALSE(Histogram(-9, -512, counts).Matches({-1, 1}));
    counts[end] = 1;
  }
  EXPECT_TRUE(Histogram(-9, -512, counts).Matches({-1, 1}));
  counts.front() = 0;
  EXPECT_FALSE(Histogram(-9, -512, counts).Matches({-1, 1}));
  EXPECT_FALSE(Histogram().Matches({0, 0}));
}

}  // namespace
}  // namespace synap_internal
