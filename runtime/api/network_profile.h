// The table of the times of a network's layers, in the layout that tools know from the NPU's
// driver (network_profile in its sysfs folder).
#ifndef RUNTIME_API_NETWORK_PROFILE_H_
#define RUNTIME_API_NETWORK_PROFILE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/executor/executor.h"

namespace synaptics::synap {

// What is counted over the runs of a network.
struct RunCounters {
  int64_t id = 0;  // of the network in its process
  int64_t runs = 0;
  std::chrono::microseconds total{0};
  std::chrono::microseconds last{0};
  size_t buffers = 0;  // inputs and outputs
  size_t buffer_bytes = 0;
};

// A line with the counters, a header, and a row for each instruction of each executor with what
// it took in the last run. The emulated NPU has no clock, so that `cycle` is 0; time_us is this
// machine's, byte_rd and byte_wr are the sizes of operands and outputs. ot: NN for layers that
// multiply and accumulate, TP for those that move or convert values, SH for all others.
// REQUIRES: the executors measure (ExecutorOptions::profile).
std::string NetworkProfile(const RunCounters& counters,
                           const std::vector<const ::synap::Executor*>& executors);

}  // namespace synaptics::synap

#endif  // RUNTIME_API_NETWORK_PROFILE_H_
