#include "compiler/convert/stages/calibrate_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/shape.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/quantize/value_range.h"
#include "compiler/testing/run_pass.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
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

TEST(CalibrateStageTest, SamplesKeptApartMergeWithTheOthers) {
  const std::vector<std::string> samples = Samples({1, -2, 3.5f, 0.1f, 100, -7, 2});
  CalibrateOptions options;
  options.samples = samples;
  options.apart = {"calibrate_0.npy", "calibrate_4.npy"};
  Warnings warnings;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    auto parts = CalibrateApart(SomeGraph(), Metafile{}, options, warnings);
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_EQ(parts->apart.samples().size(), 2);
    EXPECT_EQ(parts->others.samples().count("calibrate_4.npy"), 0);
    EXPECT_EQ(parts->others.TotalRange(0).max, 3.5f * 63 / 64);
    ASSERT_TRUE(parts->others.Merge(parts->apart).ok());
    EXPECT_EQ(parts->others.Serialize(), Calibrated(samples, 1)->Serialize());
  }
}

TEST(CalibrateStageTest, EachFileIsOfOneShard) {
  CalibrateOptions options;
  options.samples = Samples({1, 2, 3, 4, 5, 6, 7, 8});
  options.shards = 3;
  std::vector<std::string> all;
  for (options.shard = 0; options.shard < options.shards; ++options.shard) {
    const auto files = FilesOfShard(SomeGraph(), Metafile{}, options);
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_LT(files->size(), options.samples.size());
    all.insert(all.end(), files->begin(), files->end());
  }
  EXPECT_THAT(all, testing::UnorderedElementsAreArray(options.samples));
}

// Names of the samples that calibrate with 3 shards, which get all files.
std::vector<std::string> CalibratedNames(const Metafile& metafile, CalibrateOptions options) {
  std::vector<std::string> names;
  options.shards = 3;
  for (options.shard = 0; options.shard < options.shards; ++options.shard) {
    Warnings warnings;
    const auto statistics = CalibrateStage(SomeGraph(), metafile, options, warnings);
    EXPECT_TRUE(statistics.ok()) << statistics.status();
    if (!statistics.ok()) return {};
    for (const auto& [name, ranges] : statistics->samples()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(CalibrateStageTest, FastTakesTheFirstSamplesByName) {
  CalibrateOptions options;
  options.samples = Samples(std::vector<float>(40, 1));
  Metafile metafile;
  metafile.quantization.emplace();
  std::vector<std::string> names = CalibratedNames(metafile, options);
  ASSERT_EQ(names.size(), 40u);
  metafile.quantization->effort = Effort::kFast;
  std::reverse(options.samples.begin(), options.samples.end());
  names.resize(32);
  EXPECT_EQ(CalibratedNames(metafile, options), names);
  // As a build says it to shards that get their own files only.
  metafile.quantization->last_sample = names[9];
  names.resize(10);
  EXPECT_EQ(CalibratedNames(metafile, options), names);
  const auto files = FilesOfShard(SomeGraph(), metafile, options);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), 40u);
}

TEST(CalibrateStageTest, FilesOfSeveralInputsAreTold) {
  CalibrateOptions options;
  options.samples = {"0=a.npy", "1=m/a.npy"};
  const auto files = FilesOfShard(GraphOfBody(R"(
    input %x: float32[1x4]
    input %y: float32[1x4]
    %z: float32[1x4] = add(%x, %y)
    output %z)"),
                                  Metafile{}, options);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, testing::ElementsAre("0=a.npy", "1=m/a.npy"));
}

ValueRange RangeOf(const absl::StatusOr<Statistics>& statistics, absl::string_view tensor) {
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  return statistics.ok() ? statistics->Ranges().at(std::string(tensor)) : ValueRange{};
}

// Pixels of 0 to 255 go into a uint8 input that the network itself centres.
TEST(CalibrateStageTest, APictureGoesIntoBytesAsBytes) {
  const Graph graph = GraphOfBody(R"(
    input %x: uint8[1x3x2x2]
    const %mean: float32[1] = [127.0]
    %f: float32[1x3x2x2] = cast(%x) {to="float32"} from "f"
    %y: float32[1x3x2x2] = sub(%f, %mean) from "y"
    output %y)");
  const std::string path = absl::StrCat(testing::TempDir(), "/bytes.png");
  const std::vector<uint8_t> pixels = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 255};
  ASSERT_TRUE(WriteImage({2, 2, 3, pixels}, path).ok());
  CalibrateOptions options;
  options.samples = {path};
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, Metafile{}, options, warnings);
  EXPECT_EQ(RangeOf(statistics, "f"), (ValueRange{0, 255}));
  EXPECT_EQ(RangeOf(statistics, "y"), (ValueRange{-127, 128}));
}

// Row r of the table holds 10 r; tokens go through a reshape.
TEST(CalibrateStageTest, TokensSelectTheirOwnRows) {
  const Graph graph = GraphOfBody(R"(
    input %tokens: int32[1x2]
    const %table: float32[4x1] = [0.0, 10.0, 20.0, 30.0]
    %flat: int32[2] = reshape(%tokens) {shape=[2]} from "flat"
    %rows: float32[2x1] = gather(%table, %flat) {axis=0} from "rows"
    output %rows)");
  const auto calibrated = [&](const std::vector<float>& tokens) {
    const std::string path = absl::StrCat(testing::TempDir(), "/tokens.npy");
    EXPECT_TRUE(WriteFileAtomically(path, EncodeNpy(Shape{1, 2}, tokens)).ok());
    CalibrateOptions options;
    options.samples = {path};
    Warnings warnings;
    return CalibrateStage(graph, Metafile{}, options, warnings);
  };
  EXPECT_EQ(RangeOf(calibrated({1, 2}), "rows"), (ValueRange{10, 20}));
  EXPECT_EQ(RangeOf(calibrated({-1, 2}), "rows"), (ValueRange{20, 30}));
  EXPECT_THAT(std::string(calibrated({1, 4}).status().message()),
              HasSubstr("element 1 is 4, expected -4 to 3 for input 'tokens'"));
}

TEST(CalibrateStageTest, ColumnsOfOneInputSelectRowsOfTheirOwnTables) {
  const Graph graph = GraphOfBody(R"(
    input %ids: int64[1x2]
    const %words: float32[3x1] = [0.0, 10.0, 20.0]
    const %kinds: float32[2x1] = [5.0, 6.0]
    %word: int64[1x1] = slice(%ids) {starts=[0, 0], sizes=[1, 1]} from "word"
    %kind: int64[1x1] = slice(%ids) {starts=[0, 1], sizes=[1, 1]} from "kind"
    %w: float32[1x1x1] = gather(%words, %word) {axis=0} from "w"
    %k: float32[1x1x1] = gather(%kinds, %kind) {axis=0} from "k"
    output %w
    output %k)");
  const std::string path = absl::StrCat(testing::TempDir(), "/columns.npy");
  ASSERT_TRUE(WriteFileAtomically(path, EncodeNpy(Shape{1, 2}, {2, 1})).ok());
  CalibrateOptions options;
  options.samples = {path};
  Warnings warnings;
  EXPECT_EQ(RangeOf(CalibrateStage(graph, Metafile{}, options, warnings), "w"),
            (ValueRange{20, 20}));
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
              "the dataset has two samples named 'calibrate_0.npy', expected one; rename a file");
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
}  // namespace synap_internal
