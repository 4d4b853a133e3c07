#include "runtime/cli/synap_cli.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <ostream>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/input_values.h"
#include "runtime/cli/model_options.h"
#include "runtime/cli/npu_option.h"
#include "runtime/cli/stopwatch.h"
#include "synap/allocator.hpp"
#include "synap/classifier.hpp"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Allocator;
using synaptics::synap::Classifier;
using synaptics::synap::Network;
using synaptics::synap::Security;
using synaptics::synap::Tensor;

struct RunOptions {
  ModelOptions model;
  NpuOption npu;
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
  bool version = false;

  void Declare(ArgParser& parser) {
    model.Declare(parser);
    parser.Int("-r", "Number of runs of the network", 1, &repeat);
    parser.Int("--rr", "Number of times to load the network", 1, &rounds);
    parser.Int("--fps", "Runs per second, 0: as many as possible", 0, &fps);
    parser.Choice("--secure", {"auto", "none", "in", "out", "all"},
                  "Buffers in secure memory, auto: as the model asks for", &secure);
    parser.Choice("--allocator", {"auto", "synap"}, "Allocator of the buffers", &allocator);
    parser.Flag("--cma", "Use contiguous memory", &cma);
    parser.Flag("--noflush", "Don't flush and invalidate caches", &noflush);
    parser.Flag("--top5", "Show the five best classes of each run", &top5);
    parser.Flag("--dump-raw", "Write unconverted outputs to output_raw_<i>.dat", &dump_raw);
    parser.Flag("--dump-out", "Write outputs as float32 to output_float_<i>.dat", &dump_out);
    parser.String("--profiling", "file", "Write the times of the layers to a file", &profiling);
    npu.Declare(parser);
    parser.Flag("--version", "Show the version", &version);
  }
};

std::string Top5(const Network& network) {
  const Classifier::Result result = Classifier(5).process(network.outputs);
  std::string text;
  for (const Classifier::Result::Item& item : result.items) {
    absl::StrAppendFormat(&text, "%s%3d: %.2f", text.empty() ? "    Top5: " : ", ",
                          item.class_index, item.confidence);
  }
  return text;
}

// Returns an error message, or "".
std::string RunAll(const RunOptions& options, Network& network, std::vector<double>* times,
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
  return "";
}

absl::Status DumpOutputs(const RunOptions& options, const Network& network, std::ostream& out) {
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    const Tensor& tensor = network.outputs[i];
    const auto dump = [&](const char* kind, const char* prefix, const void* data, size_t size) {
      const std::string file = absl::StrCat(prefix, i, ".dat");
      out << "Writing " << kind << " out: " << tensor.name() << " to file: " << file << "\n";
      return WriteFileAtomically(file, {static_cast<const char*>(data), size});
    };
    if (tensor.data() == nullptr && (options.dump_raw || options.dump_out)) {
      return absl::PermissionDeniedError(absl::StrCat(
          "output '", tensor.name(), "' is in secure memory, which can't be written to a file"));
    }
    if (options.dump_raw) {
      RETURN_IF_ERROR(dump("raw", "output_raw_", tensor.data(), tensor.size()));
    }
    if (options.dump_out) {
      const float* const values = tensor.as_float();
      if (values == nullptr) {
        return absl::ResourceExhaustedError(
            absl::StrCat("No memory for the float values of output '", tensor.name(), "'"));
      }
      RETURN_IF_ERROR(
          dump("denormalized", "output_float_", values, tensor.item_count() * sizeof(float)));
    }
  }
  return absl::OkStatus();
}

// Writes the profile of the last run to a file.
absl::Status WriteProfile(const RunOptions& options, const Network& network) {
  if (options.profiling.empty()) return absl::OkStatus();
  return WriteFileAtomically(options.profiling, network.profile());
}

// The allocator of a tensor's buffer. `is_secure`: what `--secure auto` means for it.
Allocator* AllocatorFor(const RunOptions& options, absl::string_view direction, bool is_secure) {
  if (options.secure != "auto") is_secure = options.secure == "all" || options.secure == direction;
  if (is_secure) return synaptics::synap::secure_allocator();
  return options.cma ? synaptics::synap::cma_allocator() : synaptics::synap::std_allocator();
}

bool Allocate(Tensor& tensor, Allocator* allocator) {
  return tensor.buffer()->set_allocator(allocator) && tensor.buffer()->resize(tensor.size());
}

// Gives the inputs and outputs their memory; false if there isn't enough.
bool Allocate(const RunOptions& options, Network& network) {
  bool has_secure_input = false;
  for (Tensor& tensor : network.inputs) {
    Allocator* const allocator = AllocatorFor(options, "in", tensor.security() == Security::secure);
    if (!Allocate(tensor, allocator)) return false;
    has_secure_input = has_secure_input || allocator == synaptics::synap::secure_allocator();
  }
  for (Tensor& tensor : network.outputs) {
    const bool follows = tensor.security() == Security::secure_if_input_secure;
    if (!Allocate(tensor, AllocatorFor(options, "out", follows && has_secure_input))) return false;
  }
  return true;
}

// Times of the steps before the first run, in milliseconds.
struct StartTimes {
  double load = 0;  // reading the files
  double init = 0;  // making the network from their content, with memory for inputs and outputs
};

// Returns an error message, or "".
std::string LoadNetwork(const RunOptions& options, Network& network, StartTimes& times) {
  network.set_profiling(!options.profiling.empty());
  const Stopwatch load_time;
  const absl::StatusOr<ModelOptions::Content> content = options.model.Read();
  if (!content.ok()) {
    return absl::StrCat("Failed to load model: ", content.status().message());
  }
  times.load = load_time.milliseconds();
  const Stopwatch init_time;
  if (!options.model.Apply() || !options.model.Load(*content, network)) {
    return absl::StrCat("Failed to load model: ", options.model.model());
  }
  if (!Allocate(options, network)) return "No memory for the inputs and outputs";
  times.init = init_time.milliseconds();
  return "";
}

void PrintSetup(const RunOptions& options, const Network& network, std::ostream& out) {
  out << "Flush/invalidate: " << (options.noflush ? "no" : "yes") << "\n"
      << "Loop period (ms): " << (options.fps > 0 ? 1000 / options.fps : 0) << "\n"
      << "Network inputs: " << network.inputs.size() << "\n"
      << "Network outputs: " << network.outputs.size() << "\n";
}

// Loads the network, runs it and reports; returns an error message, or "".
std::string RunRound(const RunOptions& options, const std::vector<std::string>& data,
                     std::ostream& out) {
  out << "Loading network: " << options.model.model() << "\n";
  out.flush();
  Network network;
  StartTimes start;
  std::string error = LoadNetwork(options, network, start);
  if (!error.empty()) return error;
  PrintSetup(options, network, out);
  error = AssignInputs(network, data, out);
  if (!error.empty()) return error;
  for (Tensor& tensor : network.outputs) {
    out << "Output buffer: " << tensor.name() << " size: " << tensor.size() << SecureMark(tensor)
        << "\n";
  }
  std::vector<double> times;
  error = RunAll(options, network, &times, out);
  if (!error.empty()) return error;
  absl::Status status = WriteProfile(options, network);
  if (status.ok()) status = DumpOutputs(options, network, out);
  if (!status.ok()) return std::string(status.message());
  out << TimingLine(start.load, start.init, times);
  out.flush();
  return out ? "" : "Error, unable to write the results";
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
  ArgParser parser("synap_cli", "Runs a network and measures it.", kInputValuesHelp);
  RunOptions options;
  options.Declare(parser);
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (options.version) {
    out << "SyNAP version: " << kVersion << "\n";
    return 0;
  }
  if (!options.model.Resolve(err)) return 1;
  if (!options.npu.Apply(out, err)) return 1;
  for (int i = 0; i < options.rounds; ++i) {
    const std::string error = RunRound(options, parser.data(), out);
    if (error.empty()) continue;
    out.flush();
    err << error << "\n";
    return 1;
  }
  return 0;
}

}  // namespace synap_internal
