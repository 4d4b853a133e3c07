// Two independent branches of a network, one after the other, on two threads each, and at the same
// time. predict() chooses by the branches' length; here both ways run at every length.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "benchmark/benchmark.h"
#include "runtime/api/subgraph_lanes.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/programs.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

constexpr int kLayers = 10;
constexpr int64_t kChannels = 32;

// Convolutions of 3x3 over [1,size,size,32] in float32.
std::string Branch(const TensorType& type) {
  HandProgram hand("branch");
  const Shape weights({kChannels, 3, 3, kChannels});
  int32_t last = hand.Input(type);
  for (int layer = 0; layer < kLayers; ++layer) {
    const int32_t next = layer + 1 < kLayers ? hand.Arena(type) : hand.Output(type);
    const int32_t w = hand.Constant<float>(
        weights, std::vector<float>(static_cast<size_t>(weights.elements()), 0.001f));
    hand.Add("conv2d", {last, w}, {next}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, "conv");
    last = next;
  }
  return SerializeProgram(hand.Get()).value();
}

// Two branches, the first on the NPU, the second on the CPU.
Bundle Branches(const TensorType& type) {
  const std::string program = Branch(type);
  ModelMetadata first, second;
  first.inputs = second.inputs = {MakeMetadata("x", type)};
  first.outputs = {MakeMetadata("y", type)};
  second.outputs = {MakeMetadata("z", type)};
  second.delegate = "cpu";
  const std::vector<BundlePart> parts = {{program, first, {{-1, 0}}}, {program, second, {{-1, 0}}}};
  const std::string bytes = WriteBundle(parts, std::vector<BundleEdge>{{0, 0}, {1, 0}}).value();
  return ReadBundle({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}).value();
}

void BM_Branches(benchmark::State& state, bool overlap) {
  const TensorType type{DataType::kFloat32, {1, state.range(0), state.range(0), kChannels}};
  const auto bytes = static_cast<size_t>(type.bytes());
  const Bundle bundle = Branches(type);
  ExecutorOptions options;
  options.pool = ThreadPool::OfProcess(2);
  const AlignedMemory input = AlignedMemory::Allocate(bytes);
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<AlignedMemory> outputs;
  std::vector<Program> programs = ReadPrograms(bundle).value();
  for (Program& program : programs) {
    executors.push_back(Executor::Create(std::move(program), options).value());
    outputs.push_back(AlignedMemory::Allocate(bytes));
  }
  std::fill_n(input.data(), bytes, uint8_t{0});
  SubgraphLanes lanes(bundle, {overlap, overlap});
  CHECK(lanes.overlap() == overlap);
  for (auto iteration : state) {
    lanes.Run([&](size_t s) { executors[s]->Run({input.data()}, {outputs[s].data()}); });
  }
}

#define BRANCHES(name, overlap) \
  BENCHMARK_CAPTURE(BM_Branches, name, overlap)->Arg(4)->Arg(16)->Arg(48)->Arg(96)->UseRealTime()
BRANCHES(in_turn, false);
BRANCHES(at_the_same_time, true);

}  // namespace
}  // namespace synap_internal
