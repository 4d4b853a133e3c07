#include "runtime/cli/synap_cli.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <ostream>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/version.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/model_options.h"
#include "runtime/cli/stopwatch.h"
#include "synap/classifier.hpp"
#include "synap/network.hpp"
#include "synap/npu.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Classifier;
using synaptics::synap::DataType;
using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Tensor;

struct Options {
  ModelOptions model;
  int repeat = 1;
  int rounds = 1;
  int fps = 0;
  std::string secure = "auto";
  std::string allocator = "auto";
  std::string profiling;
  bool cma = false;
  bool noflush = false;
  bool top5 = false;
  bool dump_raw = false;
  bool dump_out = false;
  bool lock = false;
  bool version = false;

  void Declare(ArgParser& parser) {
    model.Declare(parser);
    parser.Int("-r", "Number of runs of the network", 1, &repeat);
    parser.Int("--rr", "Number of times to load the network", 1, &rounds);
    parser.Int("--fps", "Runs per second, 0: as many as possible", 0, &fps);
    parser.Choice("--secure", {"auto", "none", "in", "out", "all"}, "Buffers in secure memory",
                  &secure);
    parser.Choice("--allocator", {"auto", "synap"}, "Allocator of the buffers", &allocator);
    parser.Flag("--cma", "Use contiguous memory", &cma);
    parser.Flag("--noflush", "Don't flush and invalidate caches", &noflush);
    parser.Flag("--top5", "Show the five best classes of each run", &top5);
    parser.Flag("--dump-raw", "Write unconverted outputs to output_raw_<i>.dat", &dump_raw);
    parser.Flag("--dump-out", "Write outputs as float32 to output_float_<i>.dat", &dump_out);
    parser.String("--profiling", "file", "Write the times of the layers to a file", &profiling);
    parser.Flag("--lock", "Lock the NPU: no other process of this user can run networks", &lock);
    parser.Flag("--version", "Show the version", &version);
  }
};

// A message for options that a machine without secure memory doesn't support; null if none is
// given.
const char* Unsupported(const Options& options) {
  if (options.secure != "auto" && options.secure != "none") {
    return "Option --secure: this machine has no secure memory, expected auto or none";
  }
  return nullptr;
}

std::vector<uint8_t> RandomBytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(std::rand());
  return bytes;
}

template <typename T>
bool Fill(Tensor& tensor, T value) {
  const std::vector<T> values(tensor.item_count(), value);
  return tensor.assign(static_cast<const void*>(values.data()), values.size() * sizeof(T));
}

// Sets every item to `value`, without normalization.
bool FillItems(Tensor& tensor, int32_t value) {
  if (tensor.data_type() == DataType::float32) return Fill(tensor, static_cast<float>(value));
  if (tensor.data_type() == DataType::float16) {
    return tensor.assign(std::vector<float>(tensor.item_count(), static_cast<float>(value)).data(),
                         tensor.item_count());
  }
  switch (tensor.size() / tensor.item_count()) {
    case 1:
      return Fill(tensor, static_cast<uint8_t>(value));
    case 2:
      return Fill(tensor, static_cast<uint16_t>(value));
    case 8:
      return Fill(tensor, int64_t{value});
    default:
      return Fill(tensor, value);
  }
}

// Assigns the first bytes of a file to a scalar, as an integer of its size.
bool AssignScalarFile(Tensor& tensor, const std::string& file) {
  const absl::StatusOr<std::string> content = ReadFile(file);
  if (!content.ok() || content->size() < tensor.size()) return false;
  return tensor.assign(static_cast<const void*>(content->data()), tensor.size());
}

constexpr absl::string_view kValue = "value:";

// Whether the argument is value:<n> with an n that is no integer.
bool IsBadValue(const std::string& data) {
  int32_t ignored = 0;
  return absl::StartsWith(data, kValue) && !absl::SimpleAtoi(data.substr(kValue.size()), &ignored);
}

bool AssignInput(Tensor& tensor, const std::string& data) {
  if (data == "zero") return FillItems(tensor, 0);
  if (data == "random") {
    const std::vector<uint8_t> bytes = RandomBytes(tensor.size());
    return tensor.assign(static_cast<const void*>(bytes.data()), bytes.size());
  }
  if (absl::StartsWith(data, kValue)) {
    int32_t value = 0;
    if (!absl::SimpleAtoi(data.substr(kValue.size()), &value)) return false;
    return tensor.is_scalar() && tensor.data_type() != DataType::float32 ? tensor.assign(value)
                                                                         : FillItems(tensor, value);
  }
  if (tensor.is_scalar()) return AssignScalarFile(tensor, data);
  return Preprocessor().assign(tensor, InputData(data));
}

bool IsGenerated(const std::string& data) { return data == "zero" || data == "random"; }

// Completes the data arguments to one for each input by repeating the last one if it is generated
// data. Returns null, or a message.
const char* AssignInputs(Network& network, std::vector<std::string> data, std::ostream& out) {
  if (data.size() > network.inputs.size()) return "More data arguments than network inputs";
  if (std::any_of(data.begin(), data.end(), IsBadValue)) {
    return "A value:<n> must have an integer of 32 bits";
  }
  while (!data.empty() && IsGenerated(data.back()) && data.size() < network.inputs.size()) {
    data.push_back(data.back());
  }
  if (data.size() < network.inputs.size()) {
    return "Fewer data arguments than network inputs: give a file, zero, random or value:<n> for "
           "each";
  }
  for (size_t i = 0; i < data.size(); ++i) {
    Tensor& tensor = network.inputs[i];
    out << "Input buffer: " << tensor.name() << " size: " << tensor.size() << " : " << data[i]
        << "\n";
    if (!AssignInput(tensor, data[i])) return "Error assigning input to tensor.";
  }
  return nullptr;
}

std::string Top5(const Network& network) {
  const Classifier::Result result = Classifier(5).process(network.outputs);
  std::string text;
  for (const Classifier::Result::Item& item : result.items) {
    absl::StrAppendFormat(&text, "%s%3d: %.2f", text.empty() ? "    Top5: " : ", ",
                          item.class_index, item.confidence);
  }
  return text;
}

const char* RunAll(const Options& options, Network& network, std::vector<double>* times,
                   std::ostream& out) {
  const auto period = std::chrono::milliseconds(options.fps > 0 ? 1000 / options.fps : 0);
  auto next = std::chrono::steady_clock::now();
  out << " \n";
  for (int i = 0; i < options.repeat; ++i) {
    std::this_thread::sleep_until(next);
    next += period;
    const Stopwatch stopwatch;
    if (!network.predict()) return "Inference failed";
    times->push_back(stopwatch.milliseconds());
    out << absl::StrFormat("Predict #%d: %.2f ms", i, times->back())
        << (options.top5 ? Top5(network) : "") << "\n";
    out.flush();
  }
  out << " \n";
  return nullptr;
}

bool DumpOutputs(const Options& options, const Network& network, std::ostream& out,
                 std::ostream& err) {
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    const Tensor& tensor = network.outputs[i];
    const auto dump = [&](const char* kind, const char* prefix, const void* data, size_t size) {
      const std::string file = absl::StrCat(prefix, i, ".dat");
      out << "Writing " << kind << " out: " << tensor.name() << " to file: " << file << "\n";
      const absl::Status status = WriteFileAtomically(file, {static_cast<const char*>(data), size});
      if (!status.ok()) err << status.message() << "\n";
      return status.ok();
    };
    if (options.dump_raw && !dump("raw", "output_raw_", tensor.data(), tensor.size())) return false;
    if (options.dump_out && !dump("denormalized", "output_float_", tensor.as_float(),
                                  tensor.item_count() * sizeof(float))) {
      return false;
    }
  }
  return true;
}

// Writes the profile of the last run to a file.
absl::Status WriteProfile(const Options& options, const Network& network) {
  if (options.profiling.empty()) return absl::OkStatus();
  return WriteFileAtomically(options.profiling, network.profile());
}

// Loads the network, runs it and reports; the exit code.
int RunRound(const Options& options, const std::vector<std::string>& data, std::ostream& out,
             std::ostream& err) {
  const auto fail = [&](const char* message) {
    out.flush();
    err << message << "\n";
    return 1;
  };
  out << "Loading network: " << options.model.model() << "\n";
  out.flush();
  Network network;
  network.set_profiling(!options.profiling.empty());
  const Stopwatch load_time;
  if (!options.model.Load(network)) return fail("Failed to load model");
  const double load = load_time.milliseconds();

  out << "Flush/invalidate: " << (options.noflush ? "no" : "yes") << "\n"
      << "Loop period (ms): " << (options.fps > 0 ? 1000 / options.fps : 0) << "\n"
      << "Network inputs: " << network.inputs.size() << "\n"
      << "Network outputs: " << network.outputs.size() << "\n";
  const Stopwatch init_time;
  if (options.cma) {
    for (Tensor& tensor : network.inputs) {
      tensor.buffer()->set_allocator(synaptics::synap::cma_allocator());
    }
    for (Tensor& tensor : network.outputs) {
      tensor.buffer()->set_allocator(synaptics::synap::cma_allocator());
    }
  }
  if (const char* error = AssignInputs(network, data, out); error != nullptr) return fail(error);
  for (Tensor& tensor : network.outputs) {
    if (tensor.data() == nullptr) return fail("No memory for the outputs");
    out << "Output buffer: " << tensor.name() << " size: " << tensor.size() << "\n";
  }
  const double init = init_time.milliseconds();

  std::vector<double> times;
  if (const char* error = RunAll(options, network, &times, out); error != nullptr) {
    return fail(error);
  }
  if (const absl::Status status = WriteProfile(options, network); !status.ok()) {
    return fail(std::string(status.message()).c_str());
  }
  if (!DumpOutputs(options, network, out, err)) return 1;
  out << TimingLine(load, init, times);
  out.flush();
  return out ? 0 : fail("Error, unable to write the results");
}

}  // namespace

std::string TimingLine(double load, double init, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  return absl::StrFormat(
      "Inference timings (ms):  load: %.2f  init: %.2f  min: %.2f  median: %.2f  max: %.2f  "
      "stddev: %.2f  mean: %.2f\n",
      load, init, times.front(), times[times.size() / 2], times.back(), std::sqrt(squares / count),
      mean);
}

int SynapCli(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  ArgParser parser("synap_cli", "Runs a network and measures it.",
                   "(file | zero | random | value:<n>)...");
  Options options;
  options.Declare(parser);
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (options.version) {
    out << "SyNAP version: " << kVersion << "\n";
    return 0;
  }
  if (const char* message = Unsupported(options); message != nullptr) {
    err << message << "\n";
    return 1;
  }
  if (!options.model.Resolve(err)) return 1;
  synaptics::synap::Npu npu;
  if (options.lock && !npu.lock()) {
    err << "Unable to lock the NPU\n";
    return 1;
  }
  if (options.lock) out << "NPU locked\n";
  for (int i = 0; i < options.rounds; ++i) {
    const int code = RunRound(options, parser.data(), out, err);
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace synap_internal
