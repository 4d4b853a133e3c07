// Time from a picture to the input of a network of 640x640, with the pictures' values between 0 and
// 1; one thread.
//
// A camera's nv12 frame of 1920x1080 to uint8, on the processor and by the artifact itself
// (docs/preprocessing.md): both end with the 640x640x3 bytes in memory. Pixels of 640x640 to uint8
// and int16, with means. Each file that the command line names, on the processor: from its bytes in
// memory to uint8 [H, W, C], and to normalized float32 [C, H, W]; with bands, as detectors take
// them.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/file.h"
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
using synaptics::synap::Layout;
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

// Its only layer reads one element of its input.
Network NetworkOf(const TensorMetadata& x) {
  return Load("slice",
              {{"starts", std::vector<int64_t>(4, 0)}, {"sizes", std::vector<int64_t>(4, 1)}}, {x},
              {x.dtype, Shape({1, 1, 1, 1}), x.quant});
}

Network NetworkOfTensor(const std::string& format) {
  TensorMetadata x = Picture("x", kTensor, format);
  x.scale = 255;
  x.mean = {0};
  return NetworkOf(x);
}

Network NetworkOfFloats() {
  TensorMetadata x = Picture("x", {DataType::kFloat32, Shape({1, 3, 640, 640}), {}}, "rgb");
  x.layout = TensorLayout::kNchw;
  x.scale = 57.375f;
  x.mean = {123.675f, 116.28f, 103.53f};
  return NetworkOf(x);
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

// Pixels in the other order of colours to [H, W, C], with a mean for all channels or one for each.
void BM_Pixels(benchmark::State& state, const TensorType& type, const std::vector<float>& mean) {
  TensorMetadata x = Picture("x", type, "rgb");
  x.scale = 57.375f;
  x.mean = mean;
  Network net = NetworkOf(x);
  const std::string pixels = Frame().substr(0, 640 * 640 * 3);
  const InputData data(pixels.data(), pixels.size(), InputType::image_8bits, {1, 640, 640, 3},
                       Layout::nhwc, "bgr");
  for (auto _ : state) CHECK(Preprocessor().assign(net.inputs, data));
}
const TensorType kInt16{DataType::kInt16, kTensor.shape, QuantParams::FixedPoint(12)};
const std::vector<float> kMeans = {123.675f, 116.28f, 103.53f};
BENCHMARK_CAPTURE(BM_Pixels, uint8_mean, kTensor, {116.28f})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Pixels, uint8_means, kTensor, kMeans)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Pixels, int16_mean, kInt16, {116.28f})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Pixels, int16_means, kInt16, kMeans)->Unit(benchmark::kMillisecond);

void RunFile(benchmark::State& state, const std::string& bytes, Network net) {
  synaptics::synap::set_thread_count(1);
  for (auto _ : state) {
    const InputData data(bytes.data(), bytes.size(), InputType::encoded_image);
    CHECK(Preprocessor().assign(net.inputs, data));
  }
}

// False, with an error printed, if the file can't be read.
bool RegisterFile(const std::string& path) {
  const absl::StatusOr<std::string> read = ReadFile(path);
  if (!read.ok()) {
    std::cerr << read.status().message() << "\n";
    return false;
  }
  const auto add = [&, bytes = *read](const std::string& type, Network (*make)()) {
    benchmark::RegisterBenchmark(
        ("BM_File/" + path + "/" + type).c_str(),
        [bytes, make](benchmark::State& state) { RunFile(state, bytes, make()); })
        ->Unit(benchmark::kMillisecond);
  };
  add("uint8", [] { return NetworkOfTensor("rgb"); });
  add("float32", NetworkOfFloats);
  return true;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!synap_internal::RegisterFile(argv[i])) return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
}
