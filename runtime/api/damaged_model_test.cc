// Loads and runs models with a changed byte or a missing end: nothing may crash, hang, or take more
// memory than the models need. Built for sanitizers; tools/damage_models makes the long run, of the
// models of //models.
//   damaged_model_test [--changes N] [--seed N] [model.synap...]
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/program/testing/hand_program.h"
#include "runtime/testing/test_models.h"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::AsBytes;
using ::synap_internal::BundleEdge;
using ::synap_internal::BundlePart;
using ::synap_internal::MakeMetadata;
using ::synap_internal::ModelMetadata;
using ::synap_internal::TensorMetadata;
using ::synap_internal::TensorType;
using ::synap_internal::ZipEntry;
using InternalType = ::synap_internal::DataType;

int64_t changes = 3000;
uint32_t first_seed = 1;
std::vector<std::string> files;  // none: models of the test's own

constexpr unsigned kSecondsForAChange = 60;
constexpr int64_t kMaxResidentKib = int64_t{1} << 20;  // 1 GiB, with the sanitizer's own

// Several instructions with constants; two inputs and two outputs.
std::string ExampleModel() {
  ::synap_internal::HandProgram hand("example");
  ::synap_internal::AddExample(hand);
  return ::synap_internal::MakeModel(hand.Get());
}

// Subgraphs that read from each other.
std::string SubgraphsModel() {
  const TensorType a{InternalType::kFloat32, {4, 6}}, b{InternalType::kFloat32, {24}};
  const std::string there =
      ::synap_internal::MakeProgram("reshape", {{"shape", b.shape.dims()}}, {a}, b);
  const std::string back =
      ::synap_internal::MakeProgram("reshape", {{"shape", a.shape.dims()}}, {b}, a);
  ModelMetadata first, second;
  first.inputs = second.outputs = {MakeMetadata("a", a)};
  first.outputs = second.inputs = {MakeMetadata("b", b)};
  const std::vector<BundlePart> parts = {{there, first, {{-1, 0}}}, {back, second, {{0, 0}}}};
  return ::synap_internal::WriteBundle(parts, std::vector<BundleEdge>{{1, 0}, {0, 0}}).value();
}

std::string PixelsModel() {
  TensorMetadata x = MakeMetadata("x", {InternalType::kUint8, {1, 2, 3, 3}});
  x.layout = ::synap_internal::TensorLayout::kNhwc;
  x.data_format = "bgr keep_proportions=0";
  x.mean = {127.5f, 127.5f, 100};
  x.scale = 128.0f;
  const TensorMetadata y = MakeMetadata("y", {InternalType::kUint8, {1, 18}});
  return ::synap_internal::MakeReshapeModel(x, y);
}

std::vector<std::string> Models() {
  if (files.empty()) return {ExampleModel(), SubgraphsModel(), PixelsModel()};
  std::vector<std::string> models;
  for (const std::string& file : files) models.push_back(::synap_internal::ReadFile(file).value());
  return models;
}

class Damager {
 public:
  explicit Damager(uint32_t seed) : random_(seed) {}

  // Changes a byte, or cuts off the end, of the file, or of one of its entries with a right
  // checksum.
  std::string Damage(const std::string& model) {
    if (Below(2) == 0) return Change(model);
    std::vector<ZipEntry> entries = ::synap_internal::ReadStoredZip(AsBytes(model)).value();
    ZipEntry& entry = entries[Below(entries.size())];
    const std::string changed = Change(std::string(entry.data.begin(), entry.data.end()));
    entry.data = AsBytes(changed);
    return ::synap_internal::WriteStoredZip(entries).value();
  }

  void Fill(Tensor& tensor) {
    auto* const bytes = static_cast<uint8_t*>(tensor.data());
    if (bytes == nullptr) return;
    for (size_t i = 0; i < tensor.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + seed_);
    ++seed_;
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }

  // Tables are at the ends of a program: half of the changes are there.
  size_t AnyPosition(size_t size) {
    constexpr size_t kEnds = 4096;
    if (size <= 2 * kEnds || Below(2) == 0) return Below(size);
    const size_t position = Below(2 * kEnds);
    return position < kEnds ? position : size - 1 - (position - kEnds);
  }

  std::string Change(std::string bytes) {
    if (bytes.empty()) return bytes;
    const size_t position = AnyPosition(bytes.size());
    if (Below(8) == 0) {
      bytes.resize(position);
    } else {
      bytes[position] = static_cast<char>(bytes[position] ^ static_cast<char>(1 + Below(255)));
    }
    return bytes;
  }

  std::mt19937 random_;
  uint32_t seed_ = 0;
};

// In KiB, the most memory that this process has had.
int64_t PeakKib() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(DamagedModelTest, IsRefusedOrRuns) {
  set_log_level(LogLevel::none);
  set_thread_count(1);
  const std::vector<std::string> models = Models();
  int64_t loaded = 0, ran = 0;
  Damager damager(first_seed);
  for (int64_t change = 0; change < changes; ++change) {
    const std::string& model = models[static_cast<size_t>(change) % models.size()];
    const std::string damaged = damager.Damage(model);
    alarm(kSecondsForAChange);  // ends the process if this one hangs
    if (change > 0 && change % 10'000 == 0) std::cout << change << " changes" << std::endl;
    Network net;
    if (!net.load_model(damaged.data(), damaged.size())) continue;
    ++loaded;
    for (Tensor& tensor : net.inputs) damager.Fill(tensor);
    ran += net.predict() ? 1 : 0;
  }
  alarm(0);
  std::cout << changes << " changes from seed " << first_seed << ": " << loaded << " loaded, "
            << ran << " ran, at most " << PeakKib() / 1024 << " MiB" << std::endl;
  EXPECT_GT(ran, 0);
  EXPECT_LE(PeakKib(), kMaxResidentKib);
}

}  // namespace

// Reads the command line; false, with a message, if it is wrong.
bool ReadOptions(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--changes" && has_value && absl::SimpleAtoi(argv[i + 1], &changes)) {
      ++i;
    } else if (argument == "--seed" && has_value && absl::SimpleAtoi(argv[i + 1], &first_seed)) {
      ++i;
    } else if (argument.empty() || argument[0] == '-') {
      std::cerr << argument << ": expected --changes N, --seed N or a model's file" << std::endl;
      return false;
    } else {
      files.emplace_back(argument);
    }
  }
  return true;
}

}  // namespace synaptics::synap

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!synaptics::synap::ReadOptions(argc, argv)) return 2;
  return RUN_ALL_TESTS();
}
