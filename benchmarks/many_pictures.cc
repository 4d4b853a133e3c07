// many_pictures --model m.synap picture...: pictures per second of one network on N threads,
// picture after picture, and of N networks on one thread each, in turns. Pictures are read from
// their files, converted to the network's input and run; both ways must give the same bits.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/command_line.h"
#include "base/status_macros.h"
#include "runtime/api/network_copies.h"
#include "runtime/bundle/network_bytes.h"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"
#include "synap/threads.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Tensor;

struct Flags {
  std::string model;
  std::vector<std::string> pictures;
  std::vector<int> threads = {2};
  int repeat = 1;  // runs of each picture in a round
  int rounds = 7;
};

// FNV-1a of all outputs, by words of 8 bytes: it takes little time beside a network.
uint64_t Digest(const Network& network) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const Tensor& output : network.outputs) {
    const auto* const bytes = static_cast<const uint8_t*>(output.data());
    for (size_t i = 0; i < output.size(); i += sizeof(digest)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + i, std::min(sizeof(word), output.size() - i));
      digest = (digest ^ word) * 0x100000001b3;
    }
  }
  return digest;
}

// One way to run the pictures, with its times.
class Way {
 public:
  // Loads networks for `items` pictures at a time on the threads that are set.
  static absl::StatusOr<Way> Create(const Flags& flags, size_t items) {
    auto copies = NetworkCopies<Network>::Create(
        items, [&flags] { return EstimateNetworkBytes(flags.model, ""); },
        [&flags](Network& network) {
          return network.load_model(flags.model)
                     ? absl::OkStatus()
                     : absl::InvalidArgumentError(flags.model + ": can't be loaded");
        });
    RETURN_IF_ERROR(copies.status());
    return Way(flags, *std::move(copies));
  }

  int networks() const { return copies_.count(); }

  // Runs all pictures; the first call loads and warms up, and doesn't count.
  absl::Status Run() {
    const size_t items = flags_->pictures.size() * static_cast<size_t>(flags_->repeat);
    std::vector<uint64_t> digests;
    const auto start = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(RunOnCopies(
        copies_, items,
        [&](size_t i, Network& network, int) -> absl::StatusOr<uint64_t> {
          const std::string& picture = flags_->pictures[i % flags_->pictures.size()];
          if (!Preprocessor().assign(network.inputs, InputData(picture)) || !network.predict()) {
            return absl::InvalidArgumentError(picture + ": not run by the network");
          }
          return Digest(network);
        },
        [&](size_t, absl::StatusOr<uint64_t> digest) {
          digests.push_back(digest.value_or(0));
          return digest.status();
        }));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!digests_.empty()) rates_.push_back(static_cast<double>(items) / time.count());
    digests_ = std::move(digests);
    return absl::OkStatus();
  }

  const std::vector<uint64_t>& digests() const { return digests_; }
  double Best() const { return *std::max_element(rates_.begin(), rates_.end()); }
  double Median() const {
    std::vector<double> sorted = rates_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

 private:
  Way(const Flags& flags, NetworkCopies<Network> copies)
      : flags_(&flags), copies_(std::move(copies)) {}

  const Flags* flags_;
  NetworkCopies<Network> copies_;
  std::vector<uint64_t> digests_;  // by picture
  std::vector<double> rates_;      // pictures per second, by round
};

absl::Status Measure(const Flags& flags, int threads) {
  synaptics::synap::set_thread_count(threads);
  ASSIGN_OR_RETURN(Way in_turn, Way::Create(flags, 1));
  synaptics::synap::set_thread_count(threads);
  ASSIGN_OR_RETURN(Way together, Way::Create(flags, static_cast<size_t>(threads)));
  for (int round = 0; round <= flags.rounds; ++round) {
    RETURN_IF_ERROR(in_turn.Run());
    RETURN_IF_ERROR(together.Run());
    if (in_turn.digests() != together.digests()) {
      return absl::InternalError("outputs differ between both ways, expected the same bits");
    }
  }
  absl::PrintF("%7d %9d | %8.1f %8.1f | %8.1f %8.1f | %6.2f %6.2f\n", threads, together.networks(),
               in_turn.Median(), in_turn.Best(), together.Median(), together.Best(),
               together.Median() / in_turn.Median(), together.Best() / in_turn.Best());
  std::fflush(stdout);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Flags flags;
  CommandLine app("Pictures per second, one after the other and at the same time");
  app.AddOption("--model", flags.model, "Model (.synap)").Required();
  app.AddOption("--threads", flags.threads, "Numbers of threads to try")
      .SeparatedBy(',')
      .InRange(1, 1024);
  app.AddOption("--repeat", flags.repeat, "Runs of each picture in a round").InRange(1, 1000000);
  app.AddOption("--rounds", flags.rounds, "Rounds, each of both ways").InRange(1, 1000);
  app.AddOption("pictures", flags.pictures, "Pictures").Required();
  if (const std::optional<int> exit_code = app.Parse(argc, argv)) return *exit_code;
  absl::PrintF("%7s %9s | %17s | %17s | %13s\n", "threads", "networks", "one network",
               "one for each", "ratio");
  absl::PrintF("%7s %9s | %8s %8s | %8s %8s | %6s %6s\n", "", "", "median", "best", "median",
               "best", "median", "best");
  for (const int threads : flags.threads) {
    const absl::Status status = Measure(flags, threads);
    if (status.ok()) continue;
    absl::FPrintF(stderr, "%s\n", status.message());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) { return synap_internal::Main(argc, argv); }
