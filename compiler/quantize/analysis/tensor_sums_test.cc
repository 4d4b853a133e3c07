#include "compiler/quantize/analysis/tensor_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/fidelity.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(TensorSumsTest, TheSameBitsForAnyNumberOfThreads) {
  std::vector<float> reference, approximation;
  for (int i = 0; i < 500000; ++i) {
    reference.push_back(static_cast<float>(i * 389 % 1000) * 0.37f);
    approximation.push_back(reference.back() + static_cast<float>(i % 13) * 0.011f);
  }
  ThreadPool one(1), three(3);
  const Fidelity a = Compare(reference, approximation, one);
  const Fidelity b = Compare(reference, approximation, three);
  EXPECT_EQ(a.SqnrDb(), b.SqnrDb());
  EXPECT_EQ(a.Cosine(), b.Cosine());
  EXPECT_EQ(CountOutside(reference, {0.37f, 300}, one),
            CountOutside(reference, {0.37f, 300}, three));
}

TEST(TensorSumsTest, CountsWhatIsOutside) {
  ThreadPool pool(1);
  const std::vector<float> values = {-3, -2, 0, 5, 5.5f};
  EXPECT_EQ(CountOutside(values, {-2, 5}, pool), 2);
}

TEST(TensorSumsTest, AConstantErrorOfAChannelIsItsMean) {
  ChannelErrors constant, alternating;
  EXPECT_EQ(constant.MeanShare(), 0);
  constant.Add(std::vector<float>{1, 10, 2, 20}, std::vector<float>{2, 10, 3, 20}, 2);
  EXPECT_DOUBLE_EQ(constant.MeanShare(), 1);
  alternating.Add(std::vector<float>{1, 10}, std::vector<float>{2, 10}, 2);
  alternating.Add(std::vector<float>{1, 10}, std::vector<float>{0, 10}, 2);
  EXPECT_DOUBLE_EQ(alternating.MeanShare(), 0);
}

TEST(TensorSumsTest, RangesOfQuantizers) {
  const TensorType byte{DataType::kUint8, {4}, QuantParams::Affine(0.5f, 100)};
  EXPECT_EQ(RealRange(byte), (ValueRange{-50, 77.5f}));
  EXPECT_EQ(UsedShare(byte, {-50, 77.5f}), 1);
  EXPECT_EQ(UsedShare(byte, {1, 1}), 1.0 / 256);
  EXPECT_EQ(UsedShare(byte, {0, 31.5f}), 0.25);
  EXPECT_EQ(UsedShare(byte, {46, 1000}), 0.25);  // 192 to 255
  const TensorType fixed{DataType::kInt16, {4}, QuantParams::FixedPoint(8)};
  EXPECT_EQ(RealRange(fixed), (ValueRange{-128, 32767.0f / 256}));
}

TEST(TensorSumsTest, ObservesRangeChannelsAndHistogram) {
  ThreadPool pool(1);
  TensorObservation observation;
  const std::vector<float> first = {1, 0, 2, 0}, second = {-5, 0, 3, 0};
  for (const std::vector<float>& values : {first, second}) {
    observation.Add(values, pool);
    observation.AddChannels(values, 2);
    observation.AddHistogram(values);
  }
  EXPECT_EQ(observation.range, (ValueRange{-5, 3}));
  EXPECT_THAT(observation.channels, ElementsAre(ValueRange{-5, 3}, ValueRange{0, 0}));
  EXPECT_EQ(observation.histogram.total(), 8u);
}

}  // namespace
}  // namespace synap_internal
