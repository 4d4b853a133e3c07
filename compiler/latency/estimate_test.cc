#include "compiler/latency/estimate.h"

#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

// 2 cores, 100 multiply-accumulates per second, 10 bytes per second.
Target Chip() {
  Target target;
  target.engines = {{.engine = Engine::kNn, .count = 2, .mac_rate = {{DataType::kUint8, 100}}}};
  target.memory_bytes_per_second = 10;
  return target;
}

LayerWork Work(WorkKind kind, DataType type = DataType::kUint8) {
  LayerWork work;
  work.kind = kind;
  work.type = type;
  return work;
}

double Seconds(const LayerWork& work, const LatencyParameters& parameters) {
  return EstimateLayer({work}, Chip(), parameters).seconds;
}

TEST(EstimateTest, ALayerTakesTheLongerOfItsSumsAndItsTraffic) {
  LayerWork work = Work(WorkKind::kConvolution);
  work.macs = 1000;
  work.window = 25;
  work.channels = 4;
  EXPECT_DOUBLE_EQ(Seconds(work, {}), 10);
  work.tensors = {100, 50};
  EXPECT_DOUBLE_EQ(Seconds(work, {}), 15);
  work.weights = 50;
  EXPECT_DOUBLE_EQ(Seconds(work, {}), 20);
  EXPECT_DOUBLE_EQ(Seconds(work, {.memory_part = 0.5}), 40);
  EXPECT_DOUBLE_EQ(Seconds(work, {.layer_us = 1e6}), 21);
}

TEST(EstimateTest, CoresWithoutAChannelAreIdle) {
  LayerWork work = Work(WorkKind::kConvolution);
  work.macs = 900;
  work.window = 25;
  work.channels = 3;
  EXPECT_DOUBLE_EQ(Seconds(work, {}), 12);
}

TEST(EstimateTest, SmallWindowsAndDepthwiseOnesHaveASlowdown) {
  LayerWork work = Work(WorkKind::kConvolution);
  work.macs = 100;
  work.channels = 2;
  const LatencyParameters parameters = {.window_1 = 5, .window_9 = 2, .depthwise = 7};
  EXPECT_DOUBLE_EQ(Seconds(work, parameters), 5);
  work.window = 9;
  EXPECT_DOUBLE_EQ(Seconds(work, parameters), 2);
  work.kind = WorkKind::kDepthwise;
  EXPECT_DOUBLE_EQ(Seconds(work, parameters), 7);
}

TEST(EstimateTest, SixteenBitsDoubleTheTimeOfASlowWindow) {
  Target target = Chip();
  target.engines[0].mac_rate[DataType::kInt16] = 25;
  LayerWork work = Work(WorkKind::kConvolution, DataType::kInt16);
  work.macs = 100;
  work.channels = 2;
  const LatencyParameters parameters = {.window_1 = 3, .window_9 = 1.5};
  EXPECT_DOUBLE_EQ(EstimateLayer({work}, target, parameters).seconds, 6);
  work.window = 9;
  EXPECT_DOUBLE_EQ(EstimateLayer({work}, target, parameters).seconds, 4);
}

TEST(EstimateTest, TensorsAreKeptOnChipUpToASizeAndABatchIsNot) {
  LayerWork work = Work(WorkKind::kStream);
  work.tensors = {500, 2500};
  EXPECT_DOUBLE_EQ(Seconds(work, {.kept_kilobytes = 1}), 150);
  work.pictures = 2;
  EXPECT_DOUBLE_EQ(Seconds(work, {.kept_kilobytes = 1, .batch_traffic = 0.5}), 300);
}

TEST(EstimateTest, ElementsHaveThePriceOfTheirWork) {
  const LatencyParameters parameters = {.stream_ns = 1e9,
                                        .scatter_ns = 2e9,
                                        .function_ns = 3e9,
                                        .product_ns = 4e9,
                                        .interpolation_ns = 5e9};
  double price = 0;
  for (const WorkKind kind : {WorkKind::kStream, WorkKind::kScatter, WorkKind::kFunction,
                              WorkKind::kProduct, WorkKind::kInterpolation}) {
    LayerWork work = Work(kind);
    work.elements = 10;
    EXPECT_DOUBLE_EQ(Seconds(work, parameters), 10 * ++price);
    work.type = DataType::kInt16;
    EXPECT_DOUBLE_EQ(Seconds(work, parameters), 20 * price);
  }
}

TEST(EstimateTest, FloatsAndProductsOfMatricesRunOnTheSlowEngine) {
  LayerWork work = Work(WorkKind::kConvolution, DataType::kFloat32);
  work.macs = 3'000'000'000;
  EXPECT_DOUBLE_EQ(Seconds(work, {.slow_gigamacs = 2}), 1.5);
  work.kind = WorkKind::kMatrices;
  work.type = DataType::kUint8;
  EXPECT_DOUBLE_EQ(Seconds(work, {.slow_gigamacs = 2}), 1.5);
}

TEST(EstimateTest, PartsOfALayerAddUp) {
  LayerWork sums = Work(WorkKind::kConvolution), copy = Work(WorkKind::kCopy);
  sums.macs = 100;
  sums.channels = 2;
  copy.elements = 3;
  copy.is_layer = false;
  const LayerEstimate layer =
      EstimateLayer({sums, copy}, Chip(), {.stream_ns = 1e9, .layer_us = 1e6});
  EXPECT_DOUBLE_EQ(layer.compute, 4);
  EXPECT_DOUBLE_EQ(layer.overhead, 1);
  EXPECT_DOUBLE_EQ(layer.seconds, 5);
}

TEST(EstimateTest, TheSumHasAnInterval) {
  Target target = Chip();
  target.latency = {{"layer_us", 1.5e6}, {"network_us", 1e6}, {"interval", 2}, {"unknown", 1}};
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x2]
    %y: float32[1x2] = sigmoid(%x)
    %z: float32[1x2] = sigmoid(%y)
    output %z)");
  const LatencyEstimate estimate = EstimateLatency(graph, DataType::kUint8, target);
  ASSERT_EQ(estimate.layers.size(), 2u);
  EXPECT_DOUBLE_EQ(estimate.seconds, 4);
  EXPECT_DOUBLE_EQ(estimate.low, 2);
  EXPECT_DOUBLE_EQ(estimate.high, 8);
  EXPECT_EQ(PrintMilliseconds(estimate), "4000.00 ms (2000.00 to 8000.00)");
}

// A misspelt price would silently be the default.
TEST(EstimateTest, EveryPriceOfATargetIsKnown) {
  for (const Target& target : AllTargets()) {
    if (!target.has_npu()) continue;
    EXPECT_EQ(target.latency.size(), LatencyParameterRows().size()) << target.name;
    for (const LatencyParameterRow& row : LatencyParameterRows()) {
      EXPECT_EQ(target.latency.count(std::string(row.name)), 1u) << target.name << " " << row.name;
    }
  }
}

}  // namespace
}  // namespace synap_internal
