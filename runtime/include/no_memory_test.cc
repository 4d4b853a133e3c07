// Calls the application interface with every allocation failing in turn: nothing may end the
// process or throw, and what failed works again as soon as there is memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/program/program.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/key_store.h"
#include "runtime/security/sealed_files.h"
#include "runtime/security/test_keys.h"
#include "runtime/testing/address_space_limit.h"
#include "runtime/testing/test_models.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "synap/buffer.hpp"
#include "synap/classifier.hpp"
#include "synap/detector.hpp"
#include "synap/image_postprocessor.hpp"
#include "synap/input_data.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/npu.hpp"
#include "synap/preprocessor.hpp"
#include "synap/synap.h"

namespace {

// Allocations until the first that fails; less than 0: none fails.
std::atomic<int64_t> allocations_left{-1};
std::atomic<bool> fails_once{true};  // or until Stop()
std::atomic<bool> has_failed{false};

void FailAfter(int64_t allocations, bool once) {
  fails_once = once;
  has_failed = false;
  allocations_left = allocations;
}
void Stop() { allocations_left = -1; }

bool Fails() {
  if (allocations_left.load() < 0) return false;
  const bool is_first = allocations_left.load() == 0;
  if (!is_first && allocations_left.fetch_sub(1) > 0) return false;
  has_failed = true;
  if (fails_once) Stop();
  errno = ENOMEM;
  return true;
}

}  // namespace

#if !SYNAP_ENDS_WITHOUT_MEMORY
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) { return Fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return Fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) {
  return Fails() ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (Fails()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  if (Fails()) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, fd, offset));
}

}  // extern "C"
#endif

namespace synaptics::synap {
namespace {

using ::synap_internal::QuantParams;
using InternalType = ::synap_internal::DataType;
using Ints = std::vector<int64_t>;

// Exit codes of a child.
constexpr int kDone = 0, kNothingFailed = 17, kNoRecovery = 18;

// Pixels of 16x16 rgb -> a convolution with 20 KiB of weights -> probabilities of 192 classes at
// 4x4 places.
std::string ClassificationModel() {
  ::synap_internal::HandProgram hand("classes");
  const QuantParams quant = QuantParams::Affine(0.05f, 100);
  const auto u8 = [&](::synap_internal::Shape shape) {
    return ::synap_internal::TensorType{InternalType::kUint8, std::move(shape), quant};
  };
  std::vector<uint8_t> weights(192 * 6 * 6 * 3);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<uint8_t>(100 + i * 37 % 57);
  const int32_t x = hand.Input(u8({1, 16, 16, 3}));
  const int32_t w = hand.Constant({192, 6, 6, 3}, weights, QuantParams::Affine(0.01f, 128));
  const int32_t bias =
      hand.Constant({192}, std::vector<int32_t>(192, 7), QuantParams::Affine(0.05f * 0.01f, 0));
  const int32_t sums = hand.Arena(u8({1, 4, 4, 192}));
  const int32_t planes = hand.Arena(u8({1, 192, 4, 4}));
  const int32_t y = hand.Output(u8({1, 192, 4, 4}));
  hand.Add("conv2d", {x, w, bias}, {sums}, {{"strides", Ints{4, 4}}, {"pads", Ints{1, 1, 1, 1}}},
           "Conv_0");
  hand.Add("transpose", {sums}, {planes}, {{"perm", Ints{0, 3, 1, 2}}}, "Transpose_1");
  hand.Add("softmax", {planes}, {y}, {{"axis", int64_t{1}}}, "Softmax_2");
  ::synap_internal::ModelMetadata metadata;
  metadata.inputs = {::synap_internal::MakeMetadata("x", u8({1, 16, 16, 3}))};
  metadata.inputs[0].layout = ::synap_internal::TensorLayout::kNhwc;
  metadata.inputs[0].data_format = "rgb";
  metadata.inputs[0].mean = {127.5f, 127, 100};
  metadata.inputs[0].scale = 128.0f;
  metadata.outputs = {::synap_internal::MakeMetadata("y", u8({1, 192, 4, 4}))};
  return ::synap_internal::WriteBundle(::synap_internal::SerializeProgram(hand.Get()).value(),
                                       metadata)
      .value();
}

// Calls `body` again, with memory, if it fails for want of it.
rlimit unlimited = {};
bool is_limited = false;
template <typename Body>
bool Try(const Body& body) {
  if (body()) return true;
  if (!has_failed && !is_limited) return false;
  Stop();
  if (is_limited) setrlimit(RLIMIT_AS, &unlimited);
  has_failed = true;
  return body();
}

struct Files {
  std::string classes = ClassificationModel();
  std::string sealed;
  std::string missing = "/nonexistent.synap";  // paths
  std::string detections;
  std::string jpeg;
  std::string png;  // bytes
};
Files* files = nullptr;
int32_t best_class = -1;  // of a run with memory

// An object that is empty if there was no memory for it.
template <typename Made, typename Make>
bool MakeFilled(Made& made, const Make& make) {
  return Try([&] {
    made = make();
    return made.size() > 0;
  });
}

bool Classify() {
  Network first;
  Network net = std::move(first);
  first = std::move(net);
  net = std::move(first);
  Buffer own, moved = std::move(own);
  Classifier classifier(3);
  Preprocessor preprocessor;
  Rect area;
  Npu npu;
  InputData picture(nullptr, 0, InputType::raw);
  const bool is_ready =
      Try([&] { return net.load_model(files->classes.data(), files->classes.size()); }) &&
      MakeFilled(picture,
                 [] {
                   return InputData(files->png.data(), files->png.size(), InputType::encoded_image);
                 }) &&
      Try([&] { return net.outputs[0].set_buffer(&moved); }) &&
      Try([&] { return preprocessor.assign(net.inputs, picture, 0, &area); }) &&
      Try([&] { return npu.lock(); }) && Try([&] { return net.predict(); }) &&
      Try([&] { return net.outputs[0].as_float() != nullptr; }) &&
      Try([&] { return moved.memory_fd() >= 0; }) && Try([&] { return net.predict(); });
  if (!is_ready) return false;
  Classifier::Result result;
  const bool is_done = Try([&] {
    result = classifier.process(net.outputs);
    return result.success;
  });
  if (!is_done || result.items.size() != 3 || area.size != Dim2d{8, 8}) return false;
  if (best_class < 0) best_class = result.items[0].class_index;
  return result.items[0].class_index == best_class;
}

// The same in C, with a detector. Files, and a table of layers.
bool Detect() {
  synap_network* net = nullptr;
  synap_input_data* picture = nullptr;
  synap_detector* detector = nullptr;
  synap_detections* found = nullptr;
  synap_rect area = {};
  const char* profile = "";
  const bool is_done =
      Try([&] { return (net = synap_network_create()) != nullptr; }) && Try([&] {
        synap_network_set_profiling(net, true);
        return synap_network_load_file(net, files->detections.c_str(), nullptr);
      }) &&
      Try([&] {
        synap_input_data_destroy(picture);
        picture = synap_input_data_create_from_file(files->jpeg.c_str());
        return picture != nullptr;
      }) &&
      Try([&] { return synap_network_preprocess(net, 0, picture, nullptr, &area); }) &&
      Try([&] { return synap_network_predict(net); }) && Try([&] {
        profile = synap_network_profile(net);
        return *profile != '\0';
      }) &&
      Try([&] {
        synap_detector_destroy(detector);
        detector = synap_detector_create(nullptr);
        return detector != nullptr && (found = synap_detector_process(detector, net, &area));
      }) &&
      synap_detections_count(found) == 1;
  const bool has_said_so = !has_failed || is_limited || synap_last_error() != nullptr;
  synap_detections_destroy(found);
  synap_detector_destroy(detector);
  synap_input_data_destroy(picture);
  synap_network_destroy(net);
  return is_done && has_said_so;
}

// An encrypted and signed model, which OpenSSL's functions read.
bool LoadSealed() {
  Network net;
  return Try([&] { return net.load_model(files->sealed.data(), files->sealed.size()); }) &&
         Try([&] { return net.predict(); });
}

// Also what logs: every level, and a call that is refused.
bool Log() {
  set_log_level(LogLevel::verbose);
  Network net;
  if (net.predict() || net.load_model(files->missing)) return false;
  Detector detector, moved = std::move(detector);
  if (moved.process(net.outputs, Rect()).success) return false;
  ImagePostprocessor().process(net.outputs);
  set_log_callback([](LogLevel, const std::string&) {});
  net.predict();
  last_error();
  return true;
}

// How a process that runs `scenario` ends.
template <typename Prepare>
int StatusOf(bool (*scenario)(), const Prepare& prepare) {
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    prepare();
    const bool is_right = scenario();
    const bool failed = has_failed;
    Stop();
    _exit(!is_right ? kNoRecovery : failed ? kDone : kNothingFailed);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class NoMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::synap_internal::kEndsWithoutMemory) GTEST_SKIP() << "sanitizers end the process";
    setenv("XDG_RUNTIME_DIR", std::getenv("TEST_TMPDIR"), 1);
    setenv("SYNAP_NUM_THREADS", "1", 1);
    files = new Files;
    ::synap_internal::TensorMetadata x = ::synap_internal::MakeMetadata(
        "x", {InternalType::kUint8, {1, 1, 2, 3}, QuantParams::Affine(1 / 255.0f, 0)});
    x.layout = ::synap_internal::TensorLayout::kNhwc;
    x.data_format = "rgb";
    ::synap_internal::TensorMetadata y = x;
    y.shape = {1, 1, 6};
    y.layout = ::synap_internal::TensorLayout::kNone;
    y.data_format = "yolov5";
    files->detections = ::synap_internal::WriteTestFile("detections.synap",
                                                        ::synap_internal::MakeReshapeModel(x, y));
    ::synap_internal::Image white = ::synap_internal::MakeImage(2, 1, 3);
    std::fill(white.pixels.begin(), white.pixels.end(), 255);
    files->jpeg =
        ::synap_internal::WriteTestFile("white.jpg", *::synap_internal::EncodeJpeg(white));
    ::synap_internal::Image picture = ::synap_internal::MakeImage(8, 8, 3);
    for (size_t i = 0; i < picture.pixels.size(); ++i) {
      picture.pixels[i] = static_cast<uint8_t>(i * i * 7);
    }
    files->png = *::synap_internal::EncodePng(picture);
  }

  // Lets each allocation of `scenario` fail, alone or with all that follow until a call has failed.
  static void FailEach(bool (*scenario)(), bool once) {
    const char* only = std::getenv("SYNAP_FAILING_ALLOCATION");  // of a run in a debugger
    if (only != nullptr) {
      FailAfter(std::atoll(only), once);
      EXPECT_TRUE(scenario());
      return;
    }
    int64_t allocations = 0;
    for (std::string wrong;; ++allocations) {
      const int status = StatusOf(scenario, [&] { FailAfter(allocations, once); });
      if (WIFEXITED(status) && WEXITSTATUS(status) == kNothingFailed) break;
      if (status == kDone) continue;
      ADD_FAILURE() << "allocation " << allocations << (once ? "" : " and all after it")
                    << (WIFSIGNALED(status) ? ": signal " : ": exit code ")
                    << (WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    EXPECT_GT(allocations, 10);
    std::printf("%lld allocations\n", static_cast<long long>(allocations));
  }
};

TEST_F(NoMemoryTest, ClassifiesAfterAnyAllocationFails) {
  ASSERT_TRUE(Classify());
  FailEach(Classify, /*once=*/true);
}

TEST_F(NoMemoryTest, ClassifiesAfterAllAllocationsFail) {
  ASSERT_TRUE(Classify());
  FailEach(Classify, /*once=*/false);
}

TEST_F(NoMemoryTest, ClassifiesOnSeveralThreadsAfterAnyAllocationFails) {
  setenv("SYNAP_NUM_THREADS", "3", 1);
  FailEach(Classify, /*once=*/true);
}

TEST_F(NoMemoryTest, DetectsInCAfterAnyAllocationFails) { FailEach(Detect, /*once=*/true); }

TEST_F(NoMemoryTest, DetectsInCAfterAllAllocationsFail) { FailEach(Detect, /*once=*/false); }

// Sets the model, and the folder of the keys that it needs.
void MakeSealed() {
  const std::string folder = ::synap_internal::MakeTestKeys("no_memory");
  const ::synap_internal::TensorType x{InternalType::kUint8, {1, 6}, QuantParams::Affine(1, 0)};
  const ::synap_internal::TensorType y{InternalType::kUint8, {6}, x.quant};
  ::synap_internal::ModelMetadata metadata;
  metadata.inputs = {::synap_internal::MakeMetadata("x", x)};
  metadata.outputs = {::synap_internal::MakeMetadata("y", y)};
  metadata.secure = true;
  const std::string program =
      ::synap_internal::MakeProgram("reshape", {{"shape", Ints{6}}}, {x}, y);
  files->sealed = *::synap_internal::SealBundle(*::synap_internal::WriteBundle(program, metadata),
                                                ::synap_internal::TestSealKeys(folder));
  setenv(::synap_internal::kKeysVariable, ::synap_internal::RuntimeKeysIn(folder).c_str(), 1);
}

TEST_F(NoMemoryTest, LoadsASecureModelAfterAnyAllocationFails) {
  MakeSealed();
  ASSERT_TRUE(LoadSealed());
  FailEach(LoadSealed, /*once=*/true);
}

TEST_F(NoMemoryTest, LoadsASecureModelAfterAllAllocationsFail) {
  MakeSealed();
  ASSERT_TRUE(LoadSealed());
  FailEach(LoadSealed, /*once=*/false);
}

TEST_F(NoMemoryTest, LogsAfterAnyAllocationFails) {
  FailEach(Log, /*once=*/true);
  FailEach(Log, /*once=*/false);
}

// The stack counts, too: it is made before.
void TouchStack() {
  volatile char stack[1 << 18];
  for (size_t i = 0; i < sizeof(stack); i += 4096) stack[i] = 1;
}

TEST_F(NoMemoryTest, EndsAtNoLimitOfTheAddressSpace) {
  int recovered = 0;
  for (bool (*scenario)() : {Classify, Detect}) {
    for (size_t bytes = 0; bytes < (size_t{12} << 20); bytes += 96 << 10) {
      const int status = StatusOf(scenario, [&] {
        TouchStack();
        getrlimit(RLIMIT_AS, &unlimited);
        is_limited = true;
        new ::synap_internal::AddressSpaceLimit(bytes);
      });
      EXPECT_TRUE(WIFEXITED(status)) << bytes << " bytes: signal " << WTERMSIG(status);
      EXPECT_NE(WEXITSTATUS(status), kNoRecovery) << bytes;
      if (status == kDone) ++recovered;
    }
  }
  EXPECT_GT(recovered, 10);
}

}  // namespace
}  // namespace synaptics::synap
