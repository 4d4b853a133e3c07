// Time from a camera's nv12 frame of 1920x1080 to the uint8 input of a network of 640x640, with the
// pictures' values between 0 and 1: on the processor, and by the artifact itself
// (docs/preprocessing.md). Both end with the 640x640x3 bytes in memory; one thread.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/tensor_type.h"
#include "benchmark/benchmark.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "synap/buffer.hpp"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Buffer;
using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;

constexpr int kWidth = 1920, kHeight = 1080, kLuma = kWidth * kHeight;
const TensorType kTensor{DataType::kUint8, Shape({1, 640, 640, 3}),
                         QuantParams::Affine(1 / 255.0f, 0)};

std::string Frame() {
  std::string frame(kLuma * 3 / 2, '\0');
  uint32_t state = 1;
  for (char& byte : frame) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return frame;
}

Network Load(absl::string_view op, const Attributes& attributes,
             const std::vector<TensorMetadata>& inputs, const TensorType& output) {
  std::vector<TensorType> types;
  ModelMetadata metadata;
  metadata.inputs = inputs;
  for (const TensorMetadata& input : inputs) {
    types.push_back({input.dtype, input.shape, input.quant});
  }
  metadata.outputs = {MakeMetadata("y", output)};
  const std::string model =
      WriteBundle(MakeProgram(op, attributes, types, output), metadata).value();
  Network net;
  CHECK(net.load_model(model.data(), model.size()));
  return net;
}

TensorMetadata Picture(const std::string& name, const TensorType& type, const std::string& format) {
  TensorMetadata metadata = MakeMetadata(name, type);
  metadata.layout = TensorLayout::kNhwc;
  metadata.data_format = format;
  return metadata;
}

// Its only layer reads one element.
Network NetworkOfTensor(const std::string& format) {
  TensorMetadata x = Picture("x", kTensor, format);
  x.scale = 255;
  x.mean = {0};
  return Load("slice",
              {{"starts", std::vector<int64_t>(4, 0)}, {"sizes", std::vector<int64_t>(4, 1)}}, {x},
              {DataType::kUint8, Shape({1, 1, 1, 1}), kTensor.quant});
}

// Its only layer is the conversion.
Network NetworkOfFrames() {
  const auto plane = [](const std::string& format, const Shape& shape) {
    return Picture("x." + format, {DataType::kUint8, shape, {}}, format);
  };
  return Load("image_to_tensor",
              {{"type", std::string("nv12")},
               {"size", std::vector<int64_t>{640, 640}},
               {"scale", std::vector<float>{255}}},
              {plane("y8", Shape({1, kHeight, kWidth, 1})),
               plane("uv8", Shape({1, kHeight / 2, kWidth / 2, 2}))},
              kTensor);
}

void Run(benchmark::State& state, Network net) {
  synaptics::synap::set_thread_count(1);
  const std::string frame = Frame();
  const InputData data(frame.data(), frame.size(), InputType::nv12, {1, kHeight, kWidth, 3});
  for (auto _ : state) {
    CHECK(Preprocessor().assign(net.inputs, data));
    CHECK(net.predict());
  }
}

void BM_OnTheProcessor(benchmark::State& state) {
  Run(state, NetworkOfTensor("rgb keep_proportions=0"));
}
BENCHMARK(BM_OnTheProcessor)->Unit(benchmark::kMillisecond);

void BM_InTheArtifact(benchmark::State& state) { Run(state, NetworkOfFrames()); }
BENCHMARK(BM_InTheArtifact)->Unit(benchmark::kMillisecond);

void BM_InTheArtifactFromABuffer(benchmark::State& state) {
  synaptics::synap::set_thread_count(1);
  Network net = NetworkOfFrames();
  const std::string frame = Frame();
  Buffer camera(frame.size());
  std::memcpy(camera.data(), frame.data(), frame.size());
  Buffer luma(camera, 0, kLuma), chroma(camera, kLuma, kLuma / 2);
  CHECK(net.inputs[0].set_buffer(&luma) && net.inputs[1].set_buffer(&chroma));
  for (auto _ : state) CHECK(net.predict());
}
BENCHMARK(BM_InTheArtifactFromABuffer)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace synap_internal
