#include "compiler/target/published_latency.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

std::vector<PublishedRow> Published(const std::string& table = "published.csv",
                                    Engine engine = Engine::kNn) {
  const auto csv = ReadFile("benchmarks/latency/" + table);
  const auto layers = ReadFile("benchmarks/latency/layers.txt");
  EXPECT_TRUE(csv.ok() && layers.ok());
  const auto rows = ReadPublished(*csv, *layers, engine);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : std::vector<PublishedRow>();
}

// Estimate by measurement.
double Ratio(const PublishedRow& row) {
  const Target& target = **FindTarget(row.target);
  return EstimatedSeconds(row, target, ParametersOf(target)) / row.seconds;
}

bool IsLarge(const PublishedRow& row) { return row.target != "VS640" && row.target != "SL1640"; }

struct Errors {
  double mean = 0, worst = 0;
  int count = 0;
};

// Of the judging rows on the large or the small chip.
Errors JudgedErrors(bool large) {
  Errors errors;
  for (const PublishedRow& row : Published()) {
    if (row.half != PublishedRow::Half::kJudge || IsLarge(row) != large) continue;
    const double error = std::abs(Ratio(row) - 1);
    errors.mean += error;
    errors.worst = std::max(errors.worst, error);
    ++errors.count;
  }
  errors.mean /= errors.count;
  return errors;
}

// The bounds are those of docs/latency.md.
TEST(PublishedLatencyTest, JudgedNetworksAreAsNearAsDocumented) {
  const Errors large = JudgedErrors(true), small = JudgedErrors(false);
  EXPECT_EQ(large.count, 19);
  EXPECT_EQ(small.count, 12);
  EXPECT_LT(large.mean, 0.15);
  EXPECT_LT(large.worst, 0.47);
  EXPECT_LT(small.mean, 0.10);
  EXPECT_LT(small.worst, 0.39);
}

// The manual's way from a float network to one with a 16-bit head.
TEST(PublishedLatencyTest, TheStepsOfTheManualsExampleAreInTheirOrder) {
  std::vector<std::pair<double, double>> steps;  // measured, estimated
  for (const PublishedRow& row : Published()) {
    if (row.suite != "import_workflow_example") continue;
    steps.emplace_back(row.seconds, row.seconds * Ratio(row));
    EXPECT_LT(std::abs(Ratio(row) - 1), 0.26) << row.model;
  }
  ASSERT_EQ(steps.size(), 7u);
  std::sort(steps.begin(), steps.end());
  for (size_t i = 1; i < steps.size(); ++i) EXPECT_LT(steps[i - 1].second, steps[i].second) << i;
}

TEST(PublishedLatencyTest, TheIntervalHoldsNineOfTenJudgedRows) {
  int inside = 0, count = 0;
  for (const PublishedRow& row : Published()) {
    if (row.half != PublishedRow::Half::kJudge) continue;
    const double interval = ParametersOf(**FindTarget(row.target)).interval;
    const double ratio = Ratio(row);
    inside += ratio < interval && ratio > 1 / interval;
    ++count;
  }
  EXPECT_GE(inside, 0.9 * count) << inside << " of " << count;
}

// Mean error of the judging rows, and how many of them are in the interval.
std::pair<double, double> Judged(const std::vector<PublishedRow>& rows,
                                 double LatencyParameters::*interval) {
  double mean = 0, inside = 0, count = 0;
  for (const PublishedRow& row : rows) {
    if (row.half != PublishedRow::Half::kJudge) continue;
    const double ratio = Ratio(row);
    const double bound = ParametersOf(**FindTarget(row.target)).*interval;
    mean += std::abs(ratio - 1);
    inside += ratio < bound && ratio > 1 / bound;
    ++count;
  }
  return {mean / count, inside / count};
}

TEST(PublishedLatencyTest, TheCpuAndTheGpuAreAsNearAsDocumented) {
  const auto [cpu, in_cpu] =
      Judged(Published("published_cpu.csv", Engine::kCpu), &LatencyParameters::cpu_interval);
  EXPECT_LT(cpu, 0.22);
  EXPECT_GE(in_cpu, 0.9);
  const auto [gpu, in_gpu] =
      Judged(Published("published_gpu.csv", Engine::kGpu), &LatencyParameters::gpu_interval);
  EXPECT_LT(gpu, 0.32);
  EXPECT_GE(in_gpu, 0.9);
}

// Times of the vendor's kernels for nv12 pictures of 1920x1080, which no price was fitted to.
TEST(PublishedLatencyTest, PicturesTakeTheTimeOfResizingAndOfProducts) {
  const auto milliseconds = [](WorkKind kind, int64_t elements, const char* chip) {
    const Target& target = **FindTarget(chip);
    LayerWork work;
    work.kind = kind;
    work.type = DataType::kUint8;
    work.elements = elements;
    const LatencyParameters parameters = ParametersOf(target);
    return 1e3 * (StartSeconds(Engine::kPpu, parameters) +
                  EstimateLayerOn(Engine::kPpu, {work}, target, parameters).seconds);
  };
  constexpr int64_t kTiny = 3 * 224 * 224, kSmall = 3 * 640 * 360, kWhole = 3 * 1920 * 1080;
  EXPECT_NEAR(milliseconds(WorkKind::kInterpolation, kTiny, "VS680") / 1.27, 1, 0.05);
  EXPECT_NEAR(milliseconds(WorkKind::kInterpolation, kTiny, "VS640") / 1.25, 1, 0.05);
  EXPECT_NEAR(milliseconds(WorkKind::kInterpolation, kSmall, "VS680") / 5.14, 1, 0.05);
  EXPECT_NEAR(milliseconds(WorkKind::kInterpolation, kSmall, "VS640") / 5.29, 1, 0.05);
  EXPECT_NEAR(milliseconds(WorkKind::kProduct, 3 * kWhole, "VS680") / 30.81, 1, 0.15);
  EXPECT_NEAR(milliseconds(WorkKind::kProduct, 3 * kWhole, "VS640") / 34.49, 1, 0.15);
}

// No architecture is on both sides: the halves would not be independent.
TEST(PublishedLatencyTest, AnArchitectureIsOnOneSide) {
  std::map<std::string, PublishedRow::Half> halves;
  for (const auto& rows : {Published(), Published("published_cpu.csv", Engine::kCpu),
                           Published("published_gpu.csv", Engine::kGpu)}) {
    for (const PublishedRow& row : rows) {
      EXPECT_EQ(halves.emplace(row.architecture, row.half).first->second, row.half) << row.model;
    }
  }
}

TEST(PublishedLatencyTest, DamagedTablesAreRefused) {
  EXPECT_FALSE(ReadPublished("half\nfit,a,b\n", "").ok());
  EXPECT_FALSE(ReadPublished("half\nfit,k,a,s,m,uint8,VS680,1.5,n\n", "").ok());
  EXPECT_FALSE(ReadPublished("half\n", "network n\nx stream uint8\n").ok());
  EXPECT_FALSE(ReadPublished("half\n", "1 stream uint8\n").ok());
  EXPECT_TRUE(
      ReadPublished("half\nfit,k,a,s,\"m, n\",uint8,VS680,1.5,n\n", "network n\n2 stream uint8\n")
          .ok());
}

}  // namespace
}  // namespace synap_internal
