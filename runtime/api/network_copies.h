// Networks of the same models that run at the same time, one on each thread.
#ifndef RUNTIME_API_NETWORK_COPIES_H_
#define RUNTIME_API_NETWORK_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "base/available_memory.h"
#include "base/run_in_order.h"
#include "base/status_macros.h"
#include "runtime/api/log_capture.h"
#include "synap/threads.hpp"

namespace synap_internal {

// Copies of `Networks`, which holds the networks that one item runs through. Threads gain more from
// an item each than from shares of each layer, so there is one copy for each of thread_count()
// threads, which runs on that thread alone; but only one, which runs on all threads, if there are
// fewer items than threads, or the copies need more than half of the available memory. Results have
// the same bits either way.
template <typename Networks>
class NetworkCopies {
 public:
  // Loads one copy, on thread_count() threads. Called by several threads at the same time. Messages
  // that it logs are shown for the first copy, and for others that can't be loaded.
  using Load = std::function<absl::Status(Networks& networks)>;

  // Loads the first copy; returns what `load` does. Sets the process's number of threads
  // (threads.hpp) to that of a copy. `bytes`: the memory of a copy, as EstimateNetworkBytes gives
  // it; only called if there are enough items.
  static absl::StatusOr<NetworkCopies> Create(size_t items, absl::FunctionRef<uint64_t()> bytes,
                                              Load load) {
    const int threads = synaptics::synap::thread_count();
    const bool is_worth_it = threads > 1 && items >= static_cast<size_t>(threads) &&
                             IsAvailable(2 * static_cast<uint64_t>(threads) * bytes());
    if (is_worth_it) synaptics::synap::set_thread_count(1);
    NetworkCopies copies(std::move(load), is_worth_it ? threads : 1);
    RETURN_IF_ERROR(copies.Get(0).status());
    return copies;
  }

  int count() const { return static_cast<int>(copies_.size()); }

  // Copy `worker` of 0 to count() - 1, which is loaded when it is first asked for. Different ones
  // may be asked for at the same time.
  absl::StatusOr<Networks*> Get(int worker) {
    std::unique_ptr<Networks>& copy = copies_[static_cast<size_t>(worker)];
    if (copy == nullptr) {
      auto loaded = std::make_unique<Networks>();
      RETURN_IF_ERROR(worker == 0 ? load_(*loaded) : LoadAgain(*loaded));
      copy = std::move(loaded);
    }
    return copy.get();
  }

 private:
  // Without the messages that the first load has shown.
  absl::Status LoadAgain(Networks& networks) const {
    std::string log;
    absl::Status status;
    {
      const LogCapture capture;
      status = load_(networks);
      log = capture.text();
    }
    if (!status.ok()) ShowLogText(log);
    return status;
  }

  NetworkCopies(Load load, int count)
      : load_(std::move(load)), copies_(static_cast<size_t>(count)) {}

  Load load_;
  std::vector<std::unique_ptr<Networks>> copies_;  // null: not loaded yet
};

// Runs items through the copies, as many at the same time as there are, and takes their results in
// the items' order, until take returns an error, which is returned (run_in_order.h):
//
//   Result compute(size_t item, Networks& networks, int copy);
//   absl::Status take(size_t item, Result result);
//
// Messages that compute logs are shown in the items' order, too. The error of a copy that can't be
// loaded counts as that of take.
template <typename Networks, typename Compute, typename Take>
absl::Status RunOnCopies(NetworkCopies<Networks>& copies, size_t items, const Compute& compute,
                         const Take& take) {
  using Result = std::invoke_result_t<const Compute&, size_t, Networks&, int>;
  struct Computed {
    absl::Status load;
    absl::optional<Result> result;  // none if the load failed
    std::string log;
  };
  const auto run = [&](size_t item, int copy) -> Computed {
    const absl::StatusOr<Networks*> networks = copies.Get(copy);
    if (!networks.ok()) return {networks.status(), absl::nullopt, ""};
    return {absl::OkStatus(), compute(item, **networks, copy), ""};
  };
  return RunInOrder(
      items, copies.count(),
      [&](size_t item, int copy) -> Computed {
        if (copies.count() == 1) return run(item, copy);  // in order anyway
        const LogCapture log;
        Computed computed = run(item, copy);
        computed.log = log.text();
        return computed;
      },
      [&](size_t item, Computed computed) -> absl::Status {
        ShowLogText(computed.log);
        RETURN_IF_ERROR(computed.load);
        return take(item, *std::move(computed.result));
      });
}

}  // namespace synap_internal

#endif  // RUNTIME_API_NETWORK_COPIES_H_
