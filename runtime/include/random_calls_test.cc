// Calls the application interface at random, with right and wrong arguments: nothing may crash,
// leak, throw, or read what it must not. Built for sanitizers; a fault prints its seed.
//   ./bazelw run --config=asan //runtime/include:random_calls_test -- --seconds 600
//   ./bazelw run --config=asan //runtime/include:random_calls_test -- --seed 1234
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "synap/buffer.hpp"
#include "synap/buffer_cache.hpp"
#include "synap/classifier.hpp"
#include "synap/detector.hpp"
#include "synap/image_postprocessor.hpp"
#include "synap/input_data.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/npu.hpp"
#include "synap/preprocessor.hpp"
#include "synap/threads.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::MakeMetadata;
using ::synap_internal::QuantParams;
using ::synap_internal::TensorLayout;
using ::synap_internal::TensorMetadata;
using InternalType = ::synap_internal::DataType;

int seconds = 0;  // to call for; 0: a fixed number of calls
uint32_t first_seed = 1;

TensorMetadata Input(InternalType type, ::synap_internal::Shape shape, QuantParams quant = {},
                     const std::string& format = "", TensorLayout layout = TensorLayout::kNone) {
  TensorMetadata tensor = MakeMetadata("x", {type, std::move(shape), std::move(quant)});
  tensor.data_format = format;
  tensor.layout = layout;
  return tensor;
}

// A model that gives each input as an output of shape [1, n], or as it is for `formats`.
std::string Model(const std::vector<TensorMetadata>& inputs, const std::string& output_format) {
  std::vector<std::string> programs;
  std::vector<TensorMetadata> outputs;
  for (const TensorMetadata& x : inputs) {
    TensorMetadata y = x;
    y.name = "y";
    y.data_format = output_format;
    y.layout = TensorLayout::kNone;
    y.shape = output_format == "yolov8" ? ::synap_internal::Shape{1, 6, x.shape.elements() / 6}
                                        : ::synap_internal::Shape{1, x.shape.elements()};
    outputs.push_back(y);
    programs.push_back(::synap_internal::MakeProgram("reshape", {{"shape", y.shape.dims()}},
                                                     {{x.dtype, x.shape, x.quant}},
                                                     {y.dtype, y.shape, y.quant}));
  }
  std::vector<::synap_internal::BundlePart> parts;
  std::vector<::synap_internal::BundleEdge> edges;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ::synap_internal::ModelMetadata metadata;
    metadata.inputs = {inputs[i]};
    metadata.outputs = {outputs[i]};
    parts.push_back({programs[i], metadata, {{-1, static_cast<int>(i)}}});
    edges.push_back({static_cast<int>(i), 0});
  }
  return ::synap_internal::WriteBundle(parts, edges).value();
}

std::vector<std::string> Models() {
  const auto affine = QuantParams::Affine(0.5f, 3);
  const auto nhwc = TensorLayout::kNhwc;
  const TensorMetadata scalar = Input(InternalType::kInt32, {1});
  return {
      Model({Input(InternalType::kUint8, {1, 4, 6, 1}, affine, "gray", nhwc)}, ""),
      Model({Input(InternalType::kUint8, {1, 4, 6, 3}, {}, "bgr", nhwc)}, "yolov8"),
      Model({Input(InternalType::kInt8, {1, 3, 4, 6}, QuantParams::Affine(1, 0), "rgb",
                   TensorLayout::kNchw)},
            "class_index_base=2147483640"),
      Model({Input(InternalType::kUint8, {1, 4, 6, 1}, {}, "y8", nhwc),
             Input(InternalType::kUint8, {1, 2, 3, 2}, {}, "uv8", nhwc)},
            "y8"),
      Model({Input(InternalType::kFloat32, {1, 4, 6, 4}, {}, "", nhwc), scalar, scalar, scalar,
             scalar},
            ""),
      Model({Input(InternalType::kInt16, {24}, QuantParams::FixedPoint(3)),
             Input(InternalType::kInt16, {24}, affine), Input(InternalType::kFloat16, {24}),
             Input(InternalType::kUint16, {24}), Input(InternalType::kInt32, {24}),
             Input(InternalType::kInt64, {24}), Input(InternalType::kUint32, {24})},
            ""),
  };
}

class RandomCaller {
 public:
  explicit RandomCaller(uint32_t seed) : random_(seed), models_(Models()), buffers_(4) {
    for (std::unique_ptr<Buffer>& buffer : buffers_) buffer = std::make_unique<Buffer>();
    ::synap_internal::Image image = ::synap_internal::MakeImage(7, 5, 3);
    for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random_());
    jpeg_ = *::synap_internal::EncodeJpeg(image);
    for (uint8_t& byte : bytes_) byte = static_cast<uint8_t>(random_());
  }

  void Call() {
    switch (Below(12)) {
      case 0:
        return Load();
      case 1:
      case 2:
        return Run();
      case 3:
        return AssignValues();
      case 4:
        return Touch();
      case 5:
        return SetBuffer();
      case 6:
        return ChangeBuffer();
      case 7:
        return ReferToOtherMemory();
      case 8:
        return Move();
      case 9:
        return Preprocess();
      case 10:
        return Postprocess();
      default:
        return Log();
    }
  }

  int successful_runs() const { return successful_runs_; }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  bool Sometimes() { return Below(8) == 0; }
  Network& AnyNetwork() { return networks_[Below(networks_.size())]; }
  std::unique_ptr<Buffer>& AnyBuffer() { return buffers_[Below(buffers_.size())]; }

  // Null if the network has no tensors.
  Tensor* AnyTensor(Tensors& tensors) {
    return tensors.empty() ? nullptr : &tensors[Below(tensors.size())];
  }
  Tensor* AnyTensor() {
    Network& net = AnyNetwork();
    return AnyTensor(Sometimes() ? net.outputs : net.inputs);
  }

  size_t AnySize(size_t right) {
    const size_t sizes[] = {right, right, right, 0, 1, right / 2, right + 1, SIZE_MAX, 3, 64};
    return sizes[Below(10)];
  }

  void Load() {
    Network& net = AnyNetwork();
    if (!net.inputs.empty() && !Sometimes()) return;  // mostly run what is loaded
    std::string model = models_[Below(models_.size())];
    if (Sometimes()) model.resize(Below(model.size()));
    if (Sometimes()) model[Below(model.size() + 1)] ^= static_cast<char>(1 << Below(8));
    net.set_profiling(Sometimes());
    if (Sometimes()) set_thread_count(static_cast<int>(Below(5)) - 1);
    net.load_model(model.data(), model.size(), Sometimes() ? "{}" : nullptr);
    if (Sometimes()) net.load_model(nullptr, AnySize(10));
    if (Sometimes()) net.load_model("/nonexistent.synap");
  }

  void Run() {
    Network& net = AnyNetwork();
    if (!net.predict()) return;
    ++successful_runs_;
    net.profile();
  }

  // Values of right and wrong numbers; the array has room for the right ones.
  void AssignValues() {
    Tensor* tensor = AnyTensor();
    if (tensor == nullptr) return;
    const size_t items = tensor->item_count();
    const bool fits = tensor->size() <= sizeof(bytes_);
    const size_t count = Sometimes() ? Below(items) : items;
    const void* data = Sometimes() || !fits ? nullptr : static_cast<const void*>(bytes_.data());
    switch (Below(9)) {
      case 0:
        tensor->assign(static_cast<const uint8_t*>(data), count);
        break;
      case 1:
        tensor->assign(static_cast<const int16_t*>(data), count);
        break;
      case 2:
        tensor->assign(static_cast<const float*>(data), count);
        break;
      case 3:
        tensor->assign(static_cast<const uint16_t*>(data), count);
        break;
      case 4:
        tensor->assign(static_cast<const int32_t*>(data), count);
        break;
      case 5:
        tensor->assign(static_cast<const uint32_t*>(data), Sometimes() ? tensor->size() : count);
        break;
      case 6:
        tensor->assign(data, Sometimes() ? AnySize(tensor->size()) : tensor->size());
        break;
      case 7:
        tensor->assign(static_cast<int32_t>(random_()));
        break;
      default:
        if (const Tensor* source = AnyTensor(); source != nullptr) tensor->assign(*source);
    }
  }

  // Reads and writes all memory that a tensor gives.
  void Touch() {
    Tensor* tensor = AnyTensor();
    if (tensor == nullptr) return;
    if (void* data = tensor->data(); data != nullptr) std::memset(data, 7, tensor->size());
    if (const float* values = tensor->as_float(); values != nullptr) {
      float sum = 0;
      for (size_t i = 0; i < tensor->item_count(); ++i) sum += values[i];
      sum_ += sum;
    }
    if (float* values = tensor->data<float>(); values != nullptr) values[0] = 1;
    if (int64_t* values = tensor->data<int64_t>(); values != nullptr) values[0] = 1;
    tensor->name();
    tensor->format();
    tensor->shape();
    tensor->dimensions();
    tensor->is_scalar();
  }

  void SetBuffer() {
    Tensor* tensor = AnyTensor();
    Tensor* other = AnyTensor();
    if (tensor == nullptr || other == nullptr) return;
    Buffer* const choices[] = {AnyBuffer().get(), other->buffer(), tensor->buffer(), nullptr};
    tensor->set_buffer(choices[Below(4)]);
    if (Sometimes() && tensor->buffer() != nullptr)
      tensor->buffer()->set_allocator(cma_allocator());
  }

  void ChangeBuffer() {
    std::unique_ptr<Buffer>& buffer = AnyBuffer();
    switch (Below(6)) {
      case 0:
        buffer->resize(AnySize(24));
        break;
      case 1:
        buffer->assign(bytes_.data(), Below(200));
        break;
      case 2:
        buffer->assign(nullptr, Below(2));
        break;
      case 3:
        buffer->set_allocator(Sometimes() ? nullptr : cma_allocator());
        break;
      case 4:
        buffer = std::make_unique<Buffer>(Sometimes() ? 0 : Below(200));
        break;
      default:
        if (buffer->data() != nullptr) std::memset(buffer->data(), 1, buffer->size());
    }
  }

  void ReferToOtherMemory() {
    std::unique_ptr<Buffer>& to = AnyBuffer();
    const std::unique_ptr<Buffer>& from = AnyBuffer();
    const size_t offset = Below(70), size = Sometimes() ? SIZE_MAX : Below(100);
    switch (Below(3)) {
      case 0:
        *to = Buffer(*from, offset, size);
        break;
      case 1:
        *to = Buffer(Sometimes() ? 12345 : from->mem_id(), offset, size);
        break;
      default:
        if (!Sometimes()) return;  // a file descriptor each
        *to = Buffer(static_cast<uint32_t>(from->memory_fd()), offset, size, false);
    }
    // Enough memory to refer to parts of it.
    if (to->size() == 0) *to = Buffer(size_t{200});
  }

  void Move() {
    switch (Below(3)) {
      case 0:
        std::swap(AnyNetwork(), AnyNetwork());
        break;
      case 1:
        std::swap(*AnyBuffer(), *AnyBuffer());
        break;
      default:
        if (Sometimes()) AnyNetwork() = Network();
    }
  }

  InputData AnyData() {
    const std::pair<InputType, size_t> kinds[] = {
        {InputType::raw, 24},         {InputType::encoded_image, jpeg_.size()},
        {InputType::image_8bits, 72}, {InputType::image_8bits, 24},
        {InputType::nv12, 36},        {InputType::nv21, 36},
        {InputType::invalid, 5}};
    const auto [type, size] = kinds[Below(7)];
    const Shape shapes[] = {
        {},           {1, 4, 6, 3},        {1, 3, 4, 6}, {1, 4, 6, 1}, {1, -4, 6, 1},
        {0, 0, 0, 0}, {1, 65536, 65536, 3}};
    const char* formats[] = {"", "rgb", "bgr", "gray", "bgra", "other"};
    std::string content(size, '\x50');
    if (type == InputType::encoded_image) content = jpeg_;
    if (Sometimes()) content.resize(Below(content.size()));
    return InputData(Sometimes() ? nullptr : content.data(), content.size(), type, shapes[Below(7)],
                     Sometimes() ? Layout::nchw : Layout::nhwc, formats[Below(6)]);
  }

  void Preprocess() {
    Network& net = AnyNetwork();
    const InputData data = AnyData();
    Preprocessor preprocessor;
    if (Sometimes()) {
      const auto any = [&] { return static_cast<int32_t>(Sometimes() ? random_() : Below(8)); };
      preprocessor.set_roi({{any(), any()}, {any(), any()}});
    }
    Rect rect;
    preprocessor.assign(net.inputs, data, Sometimes() ? Below(5) : 0,
                        Sometimes() ? nullptr : &rect);
    if (Tensor* tensor = AnyTensor(net.inputs); tensor != nullptr) {
      preprocessor.assign(*tensor, data, &rect);
    }
  }

  void Postprocess() {
    const Tensors& outputs = AnyNetwork().outputs;
    Classifier(Below(4)).process(outputs);
    const auto any = [&] { return static_cast<int32_t>(Sometimes() ? random_() : Below(100)); };
    detector_.process(outputs, {{any(), any()}, {any(), any()}});
    if (Sometimes()) detector_ = Detector(0.1f, static_cast<int>(Below(3)));
    ImagePostprocessor().process(outputs);
  }

  void Log() {
    last_error();
    clear_last_error();
    if (Sometimes()) npu_.lock();
    if (Sometimes()) npu_.unlock();
    BufferCache<size_t> cache;
    cache.add(Below(3), Buffer(Below(100)));
    if (Tensor* tensor = AnyTensor(); tensor != nullptr && Sometimes()) {
      tensor->set_buffer(cache.get(Below(3)));
    }
  }

  std::mt19937 random_;
  std::vector<std::string> models_;
  std::array<Network, 3> networks_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  Detector detector_;
  Npu npu_;
  std::string jpeg_;
  alignas(64) std::array<uint8_t, 4096> bytes_;
  int successful_runs_ = 0;
  float sum_ = 0;
};

TEST(RandomCallsTest, NeverCrash) {
  const char* folder = std::getenv("TEST_TMPDIR");
  setenv("XDG_RUNTIME_DIR", folder == nullptr ? "/tmp" : folder, 1);
  set_thread_count(2);
  set_log_level(LogLevel::none);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint32_t seed = first_seed;
  do {
    if (seconds > 0) std::cout << "seed " << seed << std::endl;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCaller caller(seed++);
    for (int i = 0; i < 20000; ++i) caller.Call();
    EXPECT_GT(caller.successful_runs(), 100);
  } while (std::chrono::steady_clock::now() < end);
}

TEST(RandomCallsTest, ThreadsAreIndependent) {
  set_thread_count(2);
  set_log_level(LogLevel::warning);
  std::atomic<int> messages{0};
  const LogCallback count = [&](LogLevel /*level*/, const std::string& message) {
    messages += message.empty() ? 0 : 1;
  };
  set_log_callback(count);
  std::vector<std::thread> threads;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    threads.emplace_back([seed] {
      RandomCaller caller(seed);
      for (int i = 0; i < 3000; ++i) caller.Call();
    });
  }
  for (int i = 0; i < 500; ++i) {
    set_log_callback(count);
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  set_log_callback(nullptr);
  EXPECT_GT(messages, 0);
}

}  // namespace

// Reads the command line; false, with a message, if it is wrong.
bool ReadOptions(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const absl::string_view option = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if ((option == "--seconds" && absl::SimpleAtoi(value, &seconds)) ||
        (option == "--seed" && absl::SimpleAtoi(value, &first_seed))) {
      continue;
    }
    std::cerr << option << " " << value << ": expected --seconds N or --seed N" << std::endl;
    return false;
  }
  return true;
}

}  // namespace synaptics::synap

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!synaptics::synap::ReadOptions(argc, argv)) return 2;
  return RUN_ALL_TESTS();
}
