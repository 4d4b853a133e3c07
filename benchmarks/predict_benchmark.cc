// Time that predict() takes beyond its kernels, and time of load_model().
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/tensor_type.h"
#include "benchmark/benchmark.h"
#include "runtime/bundle/bundle.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using Clock = std::chrono::steady_clock;

double Microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// The time of the kernels alone, in a run of the program in the bundle's only subgraph.
class KernelTimes {
 public:
  explicit KernelTimes(const std::string& model)
      : bundle_(ReadBundle({reinterpret_cast<const uint8_t*>(model.data()), model.size()}).value()),
        executor_(Executor::Create(LoadProgram(bundle_.subgraphs[0].model).value(),
                                   {.threads = 1, .profile = true})
                      .value()) {
    const Program& program = executor_->program();
    for (const int32_t t : program.inputs) inputs_.push_back(Allocate(program, t));
    for (const int32_t t : program.outputs) outputs_.push_back(Allocate(program, t));
  }

  Clock::duration Run() {
    executor_->Run(inputs_, outputs_);
    Clock::duration sum{0};
    for (const std::chrono::nanoseconds time : executor_->profile()) sum += time;
    return sum;
  }

 private:
  void* Allocate(const Program& program, int32_t tensor) {
    const int64_t bytes = program.tensors[static_cast<size_t>(tensor)].type.bytes();
    memory_.push_back(AlignedMemory::Allocate(static_cast<size_t>(bytes)));
    return memory_.back().data();
  }

  Bundle bundle_;
  std::unique_ptr<Executor> executor_;
  std::vector<AlignedMemory> memory_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

// Each iteration runs predict() and, apart from it, the same kernels under the clock; the kernels'
// time holds the clock's, so that "beyond_us" is rather too small than too large by 20 to 40 ns for
// each instruction, which "instructions" counts.
void BM_Predict(benchmark::State& state) {
  HandProgram hand("example");
  AddExample(hand);
  const Program program = hand.Get();
  const std::string model = MakeModel(program);
  synaptics::synap::set_thread_count(1);
  Network net;
  CHECK(net.load_model(model.data(), model.size()));
  KernelTimes kernels(model);
  Clock::duration predict{0}, inside{0};
  for (auto _ : state) {
    inside += kernels.Run();
    const Clock::time_point start = Clock::now();
    net.predict();
    const Clock::duration time = Clock::now() - start;
    predict += time;
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["beyond_us"] = Microseconds(predict - inside) / runs;
  state.counters["instructions"] = static_cast<double>(program.instructions.size());
}
BENCHMARK(BM_Predict)->UseManualTime()->Unit(benchmark::kMicrosecond);

// Ten fully connected layers of 1,024 x 1,024 weights: 10 MiB of uint8.
std::string LargeModel() {
  constexpr int64_t kSide = 1024;
  const QuantParams quant = QuantParams::Affine(0.5f, 128);
  const TensorType values{DataType::kUint8, {1, kSide}, quant};
  std::vector<uint8_t> weights(kSide * kSide);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<uint8_t>(i * 2654435761 >> 13);
  HandProgram hand("large");
  int32_t x = hand.Input(values);
  for (int layer = 0; layer < 10; ++layer) {
    const int32_t w = hand.Constant({kSide, kSide}, weights, quant);
    const int32_t y = layer == 9 ? hand.Output(values) : hand.Arena(values);
    hand.Add("fully_connected", {x, w}, {y}, {}, "layer");
    x = y;
  }
  return MakeModel(hand.Get());
}

void BM_LoadModel(benchmark::State& state) {
  const std::string path = WriteTestFile("large.synap", LargeModel());
  for (auto _ : state) {
    Network net;
    CHECK(net.load_model(path));
  }
}
BENCHMARK(BM_LoadModel)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace synap_internal
