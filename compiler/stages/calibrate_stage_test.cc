#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/shape.h"
#include "base/warnings.h"
#include "compiler/calibration/npy.h"
#include "compiler/calibration/statistics.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"
#include "compiler/testing/pass_test.h"

namespace synap {
namespace {

using testing::HasSubstr;

Graph SomeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x64]
    %y: float32[1x64] = silu(%x) from "Silu_1"
    %z: float32[1x64] = add(%y, %x) from "Add_2"
    output %z)");
}

// Files of a value each, by number.
std::vector<std::string> Samples(const std::vector<float>& values) {
  std::vector<std::string> files;
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<float> sample(64);
    for (size_t j = 0; j < sample.size(); ++j) sample[j] = values[i] * static_cast<float>(j) / 64;
    files.push_back(absl::StrCat(testing::TempDir(), "/calibrate_", i, ".npy"));
    EXPECT_TRUE(WriteFileAtomically(files.back(), EncodeNpy(Shape{1, 64}, sample)).ok());
  }
  return files;
}

absl::StatusOr<Statistics> Calibrated(const std::vector<std::string>& samples, int threads,
                                      const Progress& progress = nullptr) {
  CalibrateOptions options;
  options.samples = samples;
  options.threads = threads;
  options.progress = progress;
  Warnings warnings;
  return CalibrateStage(SomeGraph(), Metafile{}, options, warnings);
}

TEST(CalibrateStageTest, SamplesAtTheSameTimeGiveTheSameStatistics) {
  const std::vector<std::string> samples = Samples({1, -2, 3.5f, 0.1f, 100, -7, 2});
  const auto one = Calibrated(samples, 1);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->samples().size(), samples.size());
  for (const int threads : {2, 3, 16}) {
    const auto several = Calibrated(samples, threads);
    ASSERT_TRUE(several.ok()) << several.status();
    EXPECT_EQ(several->Serialize(), one->Serialize()) << threads;
  }
}

TEST(CalibrateStageTest, TheErrorIsThatOfTheFirstSample) {
  const std::vector<std::string> samples = Samples({1, 2, 3, NAN, 4, NAN, 5});
  for (const int threads : {1, 3}) {
    EXPECT_THAT(std::string(Calibrated(samples, threads).status().message()),
                HasSubstr("calibrate_3.npy"));
  }
}

TEST(CalibrateStageTest, TwoSamplesOfOneNameAreTheErrorWhateverTheOthersAre) {
  std::vector<std::string> samples = Samples({1, NAN});
  samples.insert(samples.begin() + 1, samples[0]);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(Calibrated(samples, threads).status().message(),
              "the dataset has two samples named calibrate_0.npy");
  }
}

TEST(CalibrateStageTest, ProgressIsToldOnceForEachSample) {
  const std::vector<std::string> samples = Samples({1, 2, 3, 4, 5});
  int calls = 0;
  const auto statistics = Calibrated(samples, 3, [&](int done, int total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 5);
  });
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace synap
