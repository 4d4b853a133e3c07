#include "compiler/target/estimate.h"

#include <memory>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "compiler/graph/lower.h"
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

TEST(EstimateTest, TheCpuSumsAndMovesElements) {
  const LatencyParameters parameters = {.cpu_gigamacs_8 = 2,
                                        .cpu_gigamacs_float16 = 1,
                                        .cpu_gigamacs_float32 = 0.5,
                                        .cpu_element_ns_8 = 1e8,
                                        .cpu_element_ns_float = 3e8};
  LayerWork work = Work(WorkKind::kConvolution);
  work.macs = 2'000'000'000;
  work.tensors = {4, 6};
  const auto seconds = [&](DataType type) {
    work.type = type;
    return EstimateLayerOn(Engine::kCpu, {work}, Chip(), parameters).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(DataType::kInt8), 1 + 1);
  EXPECT_DOUBLE_EQ(seconds(DataType::kInt16), 2 + 2);
  EXPECT_DOUBLE_EQ(seconds(DataType::kFloat16), 2 + 3);
  EXPECT_DOUBLE_EQ(seconds(DataType::kFloat32), 4 + 3);
}

TEST(EstimateTest, OnlyTheNpuRearrangesTheInputOfAWindow) {
  LayerWork copy = Work(WorkKind::kCopy);
  copy.elements = 10;
  const LatencyParameters parameters = {.cpu_element_ns_8 = 1e8, .gpu_element_ns = 2e8};
  EXPECT_DOUBLE_EQ(EstimateLayerOn(Engine::kCpu, {copy}, Chip(), parameters).seconds, 1);
  EXPECT_DOUBLE_EQ(EstimateLayerOn(Engine::kGpu, {copy}, Chip(), parameters).seconds, 2);
  copy.is_layer = false;
  EXPECT_DOUBLE_EQ(EstimateLayerOn(Engine::kCpu, {copy}, Chip(), parameters).seconds, 0);
}

// A network of two layers of 2 elements, whose program names the engines.
class EnginesTest : public testing::Test {
 protected:
  void SetUp() override {
    lowered_ = LowerGraph(GraphOfBody(R"(
      input %x: float32[1x2]
      %y: float32[1x2] = sigmoid(%x)
      %z: float32[1x2] = sigmoid(%y)
      output %z)"))
                   .value();
    target_ = Chip();
    target_.engines.push_back({.engine = Engine::kCpu});
    target_.latency = {{"network_us", 1e6},           {"cpu_network_us", 1e5}, {"function_ns", 5e8},
                       {"cpu_element_ns_float", 1e9}, {"interval", 2},         {"cpu_interval", 4}};
  }
  LatencyEstimate Estimate(const std::string& engine) {
    for (Instruction& layer : lowered_->program.instructions) layer.engine = engine;
    return EstimateLatency(lowered_->program, target_);
  }

  std::unique_ptr<LoweredProgram> lowered_;
  Target target_;
};

TEST_F(EnginesTest, LayersTakeTheTimeOfTheEngineThatTheProgramNames) {
  const LatencyEstimate npu = Estimate("NN");
  EXPECT_DOUBLE_EQ(npu.seconds, 1 + 2 * 2);
  EXPECT_DOUBLE_EQ(npu.high, 10);
  // The start, two layers, an input and an output.
  const LatencyEstimate cpu = Estimate("CPU");
  EXPECT_DOUBLE_EQ(cpu.seconds, 0.1 + 2 * 2 + 4);
  EXPECT_DOUBLE_EQ(cpu.low, cpu.seconds / 4);
}

TEST_F(EnginesTest, AProgramWithoutNamesRunsWhereItsLayersCan) {
  const LatencyEstimate npu = Estimate("");
  EXPECT_DOUBLE_EQ(npu.seconds, Estimate("NN").seconds);
  target_.engines[0].types = {DataType::kUint8};
  EXPECT_DOUBLE_EQ(Estimate("").seconds, Estimate("CPU").seconds);
}

TEST_F(EnginesTest, SubgraphsAddUp) {
  LatencyEstimate sum = Estimate("NN");
  const LatencyEstimate cpu = Estimate("CPU");
  sum.Add(cpu);
  EXPECT_EQ(sum.layers.size(), 4u);
  EXPECT_DOUBLE_EQ(sum.seconds, 5 + cpu.seconds);
  EXPECT_DOUBLE_EQ(sum.low, 2.5 + cpu.low);
  EXPECT_DOUBLE_EQ(sum.high, 10 + cpu.high);
}

// A misspelt price would silently be the default.
TEST(EstimateTest, EveryPriceOfATargetIsKnown) {
  for (const Target& target : AllTargets()) {
    std::set<std::string> names;
    for (const LatencyParameterRow& row : LatencyParameterRows()) {
      const bool is_gpu = absl::StartsWith(row.name, "gpu_");
      const bool is_cpu = absl::StartsWith(row.name, "cpu_");
      if (is_gpu && target.Find(Engine::kGpu) == nullptr) continue;
      if (!is_gpu && !is_cpu && !target.has_npu()) continue;
      names.insert(std::string(row.name));
    }
    std::set<std::string> priced;
    for (const auto& [name, price] : target.latency) priced.insert(name);
    EXPECT_EQ(priced, names) << target.name;
  }
}

}  // namespace
}  // namespace synap_internal
