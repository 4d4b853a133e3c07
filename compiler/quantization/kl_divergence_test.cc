#include "compiler/quantization/kl_divergence.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace synap_internal
