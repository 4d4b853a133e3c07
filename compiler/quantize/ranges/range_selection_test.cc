#include "compiler/quantize/ranges/range_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data_type.h"
#include "base/quant_params.h"
#include "base/rounding.h"
#include "compiler/quantize/quantizer_params.h"
#include "compiler/quantize/ranges/quantization_error.h"

namespace synap_internal {
namespace {

using Algorithm = QuantizationAlgorithm;

Observation Of(const std::vector<float>& values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  const ValueRange range{*min, *max};
  return {range, Histogram::Of(values, range)};
}

Statistics OneTensor(const std::vector<std::pair<std::string, std::vector<float>>>& samples) {
  Statistics statistics({"x"});
  for (const auto& [name, values] : samples) {
    EXPECT_TRUE(statistics.Add(name, {Of(values)}).ok());
  }
  return statistics;
}

const Precision kUint8 = PrecisionOf(DataType::kUint8);
const Precision kFixedPoint = PrecisionOf(DataType::kInt8, QuantizationScheme::kDynamicFixedPoint);
const Precision kInt16 = PrecisionOf(DataType::kInt16);

ValueRange Chosen(const Statistics& statistics, Algorithm algorithm,
                  const QuantizationOptions& options = {}, const Precision& precision = kUint8) {
  return ChooseRanges(statistics, algorithm, options, precision, 1).at("x");
}

// Of the values as the quantizer for `range` stores them.
double SqnrDb(const std::vector<float>& values, const ValueRange& range,
              const Precision& precision) {
  const QuantParams quant = ParamsFor(range, precision);
  const IntegerRange integers = RangeOf(precision.type);
  double signal = 0, noise = 0;
  for (const float value : values) {
    const int32_t stored =
        QuantizeValue(value, quant.scale(), quant.zero_point(), static_cast<int32_t>(integers.min),
                      static_cast<int32_t>(integers.max));
    const auto real = static_cast<double>(value);
    const double error =
        real - static_cast<double>(DequantizeValue(stored, quant.scale(), quant.zero_point()));
    signal += real * real;
    noise += error * error;
  }
  return 10 * std::log10(signal / noise);
}

// `count` multiples of 1/256 in [0, 1), three quarters of them odd ones, and one at `outlier`.
std::vector<float> WithOutlier(float outlier, int count = 100000) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    const int bin = i % 128 * 2 + (i / 128 % 4 == 0 ? 0 : 1);
    values.push_back(static_cast<float>(bin) / 256);
  }
  values.push_back(outlier);
  return values;
}

TEST(RangeSelectionTest, StandardCoversEverything) {
  const Statistics statistics = OneTensor({{"a", {-1, 1}}, {"b", {-3, 0.5f}}});
  EXPECT_EQ(Chosen(statistics, Algorithm::kStandard), (ValueRange{-3, 1}));
}

TEST(RangeSelectionTest, MovingAverageFollowsTheNamesOrder) {
  QuantizationOptions options;
  options.moving_average_weight = 0.5;
  // Weights 1/3 and 2/3, in either order of arrival.
  for (const bool swapped : {false, true}) {
    std::vector<std::pair<std::string, std::vector<float>>> samples = {{"a", {-1, 2}},
                                                                       {"b", {-4, 5}}};
    if (swapped) std::swap(samples[0], samples[1]);
    EXPECT_EQ(Chosen(OneTensor(samples), Algorithm::kMovingAverage, options), (ValueRange{-3, 4}));
  }
}

TEST(RangeSelectionTest, MovingAverageForgetsAsFastAsToldTo) {
  const Statistics statistics = OneTensor({{"a", {-1, 2}}, {"b", {-4, 5}}, {"c", {0, 8}}});
  QuantizationOptions options;
  options.moving_average_weight = 1;
  EXPECT_EQ(Chosen(statistics, Algorithm::kMovingAverage, options), (ValueRange{0, 8}));
  // Nearly the mean by default: weights 0.9801, 0.99 and 1.
  const ValueRange range = Chosen(statistics, Algorithm::kMovingAverage);
  EXPECT_FLOAT_EQ(range.min, -(0.9801f + 4 * 0.99f) / 2.9701f);
  EXPECT_FLOAT_EQ(range.max, (2 * 0.9801f + 5 * 0.99f + 8) / 2.9701f);
}

TEST(RangeSelectionTest, KlDivergenceCutsTheOutlierUnlessBinsAreTooFew) {
  const Statistics statistics = OneTensor({{"a", WithOutlier(4)}});
  EXPECT_LT(Chosen(statistics, Algorithm::kKlDivergence).max, 1.01f);
  QuantizationOptions options;
  options.divergence_nbins = 256;
  EXPECT_EQ(Chosen(statistics, Algorithm::kKlDivergence, options).max, 4);
  options = {};
  options.divergence_first_quantize_bits = 8;
  EXPECT_EQ(Chosen(statistics, Algorithm::kKlDivergence, options).max, 4);
  EXPECT_EQ(Chosen(statistics, Algorithm::kKlDivergence, {}, kInt16).max, 4);
}

TEST(RangeSelectionTest, FirstBitsAreThoseOfTheNumberOfBins) {
  const Statistics statistics = OneTensor({{"a", WithOutlier(4)}});
  const auto chosen = [&](std::optional<int64_t> bins, std::optional<int64_t> bits) {
    QuantizationOptions options;
    options.divergence_nbins = bins;
    options.divergence_first_quantize_bits = bits;
    return Chosen(statistics, Algorithm::kKlDivergence, options);
  };
  EXPECT_EQ(chosen(std::nullopt, 10), chosen(1024, std::nullopt));
  EXPECT_FALSE(chosen(std::nullopt, 10) == chosen(2048, std::nullopt));
}

TEST(RangeSelectionTest, MseFindsThresholdsAboveTheLargestCoarseOne) {
  // 20 values at 1.01 cost more than finer steps gain from 1.0036 on.
  std::vector<float> values(20, 1.01f);
  for (int i = 0; i < 100000; ++i) values.push_back(static_cast<float>(i) / 100000);
  const float max = Chosen(OneTensor({{"a", values}}), Algorithm::kMse).max;
  EXPECT_NEAR(max, 1.0036f, 0.002f);
}

TEST(RangeSelectionTest, AutoTakesTheSmallestError) {
  // Steps of 4 / 255 cost 2e-5. Without the outlier, which then costs 9 over all values, it is 1e-6
  // beside.
  const Statistics few = OneTensor({{"a", WithOutlier(4, 100000)}});
  EXPECT_EQ(Chosen(few, Algorithm::kAuto), (ValueRange{0, 4}));
  const Statistics many = OneTensor({{"a", WithOutlier(4, 1000000)}});
  EXPECT_EQ(Chosen(many, Algorithm::kAuto), Chosen(many, Algorithm::kKlDivergence));
  EXPECT_LT(Chosen(many, Algorithm::kAuto).max, 1.01f);
  // Between 1, which most samples end at, and the outlier.
  Statistics samples = OneTensor({{"a", WithOutlier(4)}});
  for (const char* name : {"b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    EXPECT_TRUE(samples.Add(name, {Of(WithOutlier(1))}).ok());
  }
  EXPECT_EQ(Chosen(samples, Algorithm::kAuto), Chosen(samples, Algorithm::kMovingAverage));
}

TEST(RangeSelectionTest, MseFindsTheBestThreshold) {
  const Statistics statistics = OneTensor({{"a", WithOutlier(2)}, {"b", WithOutlier(-3)}});
  const ValueRange total = statistics.TotalRange(0);
  for (const Precision& precision : {kUint8, kFixedPoint, kInt16}) {
    const auto error = [&](const ValueRange& range) {
      return MeanSquaredError(statistics.histograms()[0], total, ParamsFor(range, precision),
                              precision.type);
    };
    const double least = error(Chosen(statistics, Algorithm::kMse, {}, precision));
    for (int i = 1; i <= 64; ++i) {
      EXPECT_LE(least, error(Cut(total, 3.0 * i / 64))) << Name(precision.type) << " " << i;
    }
  }
}

TEST(RangeSelectionTest, MseFindsThresholdsBetweenTheCoarseOnes) {
  // Up to 1 evenly, and fewer up to 2.
  std::vector<float> values;
  for (int i = 0; i < 100000; ++i) values.push_back(static_cast<float>(i) / 100000);
  for (int i = 0; i <= 20; ++i) values.push_back(1 + static_cast<float>(i) / 20);
  const Statistics statistics = OneTensor({{"a", values}});
  const auto error = [&](const ValueRange& range) {
    return MeanSquaredError(statistics.histograms()[0], {0, 2}, ParamsFor(range, kUint8),
                            kUint8.type);
  };
  const double least = error(Chosen(statistics, Algorithm::kMse));
  for (int i = 1; i <= 512; ++i) EXPECT_LE(least, error({0, 2.0f * i / 512})) << i;
}

TEST(RangeSelectionTest, MseTakesTheLargestOfEquallyGoodThresholds) {
  // From 63/64 of the range on, all thresholds have a step of 1/128, the whole range has 1/64.
  std::vector<float> values(10, 1.01f);
  for (int i = 0; i < 10000; ++i) values.push_back(static_cast<float>(i) / 10000 * 0.97f);
  EXPECT_EQ(Chosen(OneTensor({{"a", values}}), Algorithm::kMse, {}, kFixedPoint).max,
            1.01f * 63 / 64);
}

// 127 steps reach 1 with a step of 1/64, and nearly 1 with half of that. An affine quantizer would
// gain a twentieth of a step by leaving out the few values above 1, and lose more there.
TEST(RangeSelectionTest, ErrorsAreThoseOfThePowerOfTwo) {
  std::vector<float> most, all;
  for (int i = 0; i < 10000; ++i) most.push_back(static_cast<float>(i) / 10000 * 0.99f);
  all = most;
  all.insert(all.end(), 10, 1.05f);
  const Statistics mixed = OneTensor({{"a", all}});
  const ValueRange affine = Chosen(mixed, Algorithm::kMse);
  const ValueRange fixed = Chosen(mixed, Algorithm::kMse, {}, kFixedPoint);
  EXPECT_GT(affine.max, 1);
  EXPECT_GT(SqnrDb(all, fixed, kFixedPoint), SqnrDb(all, affine, kFixedPoint) + 3);
  EXPECT_GT(SqnrDb(all, affine, kUint8), SqnrDb(all, fixed, kUint8));

  // The moving average is what auto can choose instead of everything.
  Statistics samples = OneTensor({{"a", all}});
  for (const char* name : {"b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    EXPECT_TRUE(samples.Add(name, {Of(most)}).ok());
  }
  const ValueRange total = samples.TotalRange(0);
  const ValueRange average = Chosen(samples, Algorithm::kMovingAverage);
  EXPECT_EQ(Chosen(samples, Algorithm::kAuto, {}, kFixedPoint), average);
  EXPECT_GT(SqnrDb(most, average, kFixedPoint), SqnrDb(most, total, kFixedPoint) + 5);
}

// 1.9 has the step of all down to 1, from where on the outliers would cost too much.
TEST(RangeSelectionTest, NothingIsCutThatGivesNoSmallerPowerOfTwo) {
  std::vector<float> values = WithOutlier(1.9f);
  values.insert(values.end(), 9, 1.9f);
  const Statistics statistics = OneTensor({{"a", values}});
  EXPECT_LT(Chosen(statistics, Algorithm::kMse).max, 1.9f);
  EXPECT_EQ(Chosen(statistics, Algorithm::kMse, {}, kFixedPoint), (ValueRange{0, 1.9f}));
}

TEST(RangeSelectionTest, EveryRangeLiesInsideOfWhatWasObserved) {
  for (const std::vector<float>& values : {std::vector<float>{0},
                                           {5, 5, 5},
                                           {-7, -6},
                                           {3.97f},
                                           {1e-45f, 0},
                                           {-3e38f, 3e38f, 1},
                                           {1e30f}}) {
    const Statistics statistics = OneTensor({{"a", values}, {"b", values}});
    const ValueRange total = statistics.TotalRange(0);
    for (const Algorithm algorithm :
         {Algorithm::kStandard, Algorithm::kMovingAverage, Algorithm::kKlDivergence,
          Algorithm::kAuto, Algorithm::kMse}) {
      for (const Precision& precision : {kUint8, kFixedPoint, kInt16}) {
        const ValueRange range = Chosen(statistics, algorithm, {}, precision);
        EXPECT_LE(total.min, range.min) << Name(algorithm);
        EXPECT_LE(range.min, range.max) << Name(algorithm);
        EXPECT_LE(range.max, total.max) << Name(algorithm);
      }
    }
  }
}

TEST(RangeSelectionTest, MseFindsThresholdsBelowTheSecondCoarseOne) {
  // A hundred million values in each bin up to 1, and one at 100.
  const ValueRange range{0, 100};
  const Histogram ends = Histogram::Of(std::vector<float>{0, 100}, range);
  std::vector<uint64_t> counts = ends.counts();
  const auto bins = static_cast<size_t>(1 / ends.width());
  std::fill(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(bins), 100000000);
  Statistics statistics({"x"});
  const Observation observation{range, Histogram(ends.exponent(), ends.first(), counts)};
  ASSERT_TRUE(statistics.Add("a", {observation}).ok());
  const float max = Chosen(statistics, Algorithm::kMse).max;
  EXPECT_GE(max, 0.9f);
  EXPECT_LE(max, 1.3f);  // 2/64 - 7/512 of the range is 1.76
}

TEST(RangeSelectionTest, AutoTakesTheWidestOfEquallyGoodRanges) {
  // The moving average and all values have the same power of two.
  const Statistics statistics = OneTensor({{"a", {0, 1.9f}}, {"b", {0, 1.5f}}});
  EXPECT_EQ(Chosen(statistics, Algorithm::kAuto, {}, kFixedPoint), (ValueRange{0, 1.9f}));
}

TEST(RangeSelectionTest, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::string> names;
  std::vector<Observation> observations;
  for (int i = 0; i < 20; ++i) {
    names.push_back("t" + std::to_string(i));
    std::vector<float> values;
    for (int k = 0; k < 4000; ++k)
      values.push_back(std::pow(k % 97 - 40.0f, 1.0f + i % 3) / (i + 1));
    observations.push_back(Of(values));
  }
  Statistics statistics(names);
  ASSERT_TRUE(statistics.Add("a", observations).ok());
  for (const Algorithm algorithm : {Algorithm::kStandard, Algorithm::kMovingAverage,
                                    Algorithm::kKlDivergence, Algorithm::kMse, Algorithm::kAuto}) {
    const auto alone = ChooseRanges(statistics, algorithm, {}, kUint8, 1);
    EXPECT_EQ(alone.size(), names.size());
    EXPECT_EQ(alone, ChooseRanges(statistics, algorithm, {}, kUint8, 3));
  }
}

}  // namespace
}  // namespace synap_internal
