#include "compiler/report/budget.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/tensor_type.h"
#include "compiler/report/model_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ReportLayer Layer(const std::string& name, int subgraph, double seconds, int64_t macs,
                  uint64_t live_bytes, double own_db) {
  ReportLayer layer;
  layer.subgraph = subgraph;
  layer.op = "conv2d";
  layer.engine = subgraph == 0 ? "NN" : "CPU";
  layer.reason = "no row of the target fits";
  layer.origins = {name};
  layer.output.dtype = DataType::kUint8;
  layer.output.shape = {1, 8, 8, 4};
  layer.seconds = seconds;
  layer.macs = macs;
  layer.live_bytes = live_bytes;
  layer.error = LayerError{own_db, own_db - 3};
  return layer;
}

// Two layers on the NPU and one with a quarter of the work on the CPU; 2 ms, 3 KiB, 18 dB.
ModelReport SomeModel() {
  ModelReport model;
  model.path = "faces.synap";
  model.target = "VS680";
  model.delegates = {"npu", "cpu num_threads=2"};
  model.layers = {Layer("stem", 0, 0.0004, 2000, 3072, 41), Layer("body", 0, 0.0001, 4000, 512, 12),
                  Layer("tail", 1, 0.0015, 2000, 1024, 30)};
  model.arena_bytes = 3 * 1024;
  model.seconds = 0.002;
  model.time_text = "2.00 ms (1.80 to 2.20)";
  model.output_errors = {{"boxes", 18}, {"scores", 33}};
  return model;
}

BudgetVerdict Verdict(const Budget& budget) {
  const auto verdict = CheckBudget(SomeModel(), budget);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.value_or(BudgetVerdict());
}

std::string Error(const ModelReport& model, const Budget& budget) {
  const absl::Status status = CheckBudget(model, budget).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(BudgetTest, IsKeptUpToItsLimits) {
  const BudgetVerdict verdict = Verdict(
      {.max_latency_ms = 2, .max_arena_kb = 3, .max_cpu_macs_percent = 25, .min_sqnr_db = 18});
  EXPECT_THAT(verdict.exceeded, IsEmpty());
  EXPECT_EQ(verdict.text,
            "                                 budget        model\n"
            "  latency                             2            2 ms\n"
            "  arena                               3            3 KiB\n"
            "  work on the CPU                    25           25 % of the MACs\n"
            "  SQNR of the worst output           18           18 dB\n");
}

TEST(BudgetTest, TellsAllThatExceedsIt) {
  const BudgetVerdict verdict = Verdict(
      {.max_latency_ms = 1.5, .max_arena_kb = 2.5, .max_cpu_macs_percent = 0, .min_sqnr_db = 20});
  EXPECT_THAT(verdict.exceeded,
              ElementsAre("latency is 2 ms, expected at most 1.5 ms",
                          "arena is 3 KiB, expected at most 2.5 KiB",
                          "work on the CPU is 25 % of the MACs, expected at most 0 % of the MACs",
                          "SQNR of the worst output is 18 dB, expected at least 20 dB"));
}

TEST(BudgetTest, PrintsADifferenceThatSixDigitsHide) {
  const BudgetVerdict verdict = Verdict({.max_latency_ms = 1.9999999, .min_sqnr_db = 18.00000004});
  EXPECT_THAT(verdict.exceeded,
              ElementsAre("latency is 2 ms, expected at most 1.9999999 ms",
                          "SQNR of the worst output is 18 dB, expected at least 18.00000004 dB"));
  ModelReport model = SomeModel();
  model.seconds = 0.0001234567891;
  EXPECT_THAT(CheckBudget(model, {.max_latency_ms = 0.123457})->text,
              HasSubstr("0.123457    0.1234568 ms"));
  EXPECT_EQ(Error(model, {.max_cpu_macs_percent = 100.0000001}),
            "max_cpu_macs_percent is 100.0000001, expected a number from 0 to 100");
}

TEST(BudgetTest, ListsTheSlowestLayersFirst) {
  const std::string text = Verdict({.max_latency_ms = 1}).text;
  EXPECT_THAT(text, HasSubstr("* latency"));
  EXPECT_THAT(text, HasSubstr("    1.5000     75.0  CPU      uint8      tail\n"
                              "    0.4000     20.0  NN       uint8      stem\n"));
  EXPECT_THAT(text, Not(HasSubstr("on the CPU")));
}

TEST(BudgetTest, ListsTheLayersThatHoldMostMemory) {
  EXPECT_THAT(Verdict({.max_arena_kb = 1}).text,
              HasSubstr("     3.0 KiB  uint8[1x8x8x4]               stem\n"
                        "     1.0 KiB  uint8[1x8x8x4]               tail\n"));
}

TEST(BudgetTest, ListsTheLayersOnTheCpuWithTheirReason) {
  const std::string text = Verdict({.max_cpu_macs_percent = 24.9}).text;
  EXPECT_THAT(text, HasSubstr("2,000  conv2d           tail: no row of the target fits\n"));
  EXPECT_THAT(text, Not(HasSubstr("stem")));
}

TEST(BudgetTest, ListsOutputsAndTheLayersThatLoseMost) {
  const std::string text = Verdict({.min_sqnr_db = 18.1}).text;
  EXPECT_THAT(text, HasSubstr("    18.0  boxes\n    33.0  scores\n"));
  EXPECT_THAT(text, HasSubstr("    12.0      9.0  uint8      body\n"
                              "    30.0     27.0  uint8      tail\n"));
}

TEST(BudgetTest, RefusesLimitsThatNoModelCanHave) {
  EXPECT_EQ(Error(SomeModel(), {}),
            "nothing to check, expected one of max_latency_ms, max_arena_kb, max_cpu_macs_percent "
            "and min_sqnr_db");
  EXPECT_EQ(Error(SomeModel(), {.max_latency_ms = -1}),
            "max_latency_ms is -1, expected a number from 0 to 1e+09");
  EXPECT_EQ(Error(SomeModel(), {.max_arena_kb = std::nan("")}),
            "max_arena_kb is nan, expected a number from 0 to 1e+09");
  EXPECT_EQ(Error(SomeModel(), {.max_cpu_macs_percent = 101}),
            "max_cpu_macs_percent is 101, expected a number from 0 to 100");
  EXPECT_EQ(Error(SomeModel(), {.min_sqnr_db = 201}),
            "min_sqnr_db is 201, expected a number from 0 to 200");
}

TEST(BudgetTest, NeedsTheFiguresOfTheModel) {
  ModelReport model = SomeModel();
  model.output_errors.clear();
  EXPECT_THAT(Error(model, {.min_sqnr_db = 20}), HasSubstr("synap analyze --json"));
  model.time_text = "unknown";
  EXPECT_THAT(Error(model, {.max_latency_ms = 20}), HasSubstr("with --target"));
  // A model without any work has none on the CPU.
  model.layers.clear();
  EXPECT_TRUE(CheckBudget(model, {.max_cpu_macs_percent = 0})->exceeded.empty());
}

}  // namespace
}  // namespace synap_internal
