// Two independent branches of a network, one after the other (both on the NPU) and at the same time
// (one of them on the CPU), each with two threads.
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/tensor_type.h"
#include "benchmark/benchmark.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Network;

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

void BM_Branches(benchmark::State& state, const char* second_delegate) {
  const TensorType type{DataType::kFloat32, {1, state.range(0), state.range(0), kChannels}};
  const std::string program = Branch(type);
  ModelMetadata first, second;
  first.inputs = second.inputs = {MakeMetadata("x", type)};
  first.outputs = {MakeMetadata("y", type)};
  second.outputs = {MakeMetadata("z", type)};
  second.delegate = second_delegate;
  const std::vector<BundlePart> parts = {{program, first, {{-1, 0}}}, {program, second, {{-1, 0}}}};
  const std::string model = WriteBundle(parts, std::vector<BundleEdge>{{0, 0}, {1, 0}}).value();
  synaptics::synap::set_thread_count(2);
  Network net;
  CHECK(net.load_model(model.data(), model.size()));
  CHECK(net.predict());
  for (auto iteration : state) CHECK(net.predict());
}

#define BRANCHES(name, delegate) \
  BENCHMARK_CAPTURE(BM_Branches, name, delegate)->Arg(4)->Arg(16)->Arg(48)->Arg(96)->UseRealTime()
BRANCHES(sequential, "npu");
BRANCHES(parallel, "cpu");

}  // namespace
}  // namespace synap_internal
