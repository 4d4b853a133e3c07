// Text table of the times of a network's layers, in the format of the NPU driver's sysfs file
// network_profile, which tools read.
#ifndef RUNTIME_API_NETWORK_PROFILE_H_
#define RUNTIME_API_NETWORK_PROFILE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/executor/executor.h"

namespace synaptics::synap {

// Counters over the runs of a network.
struct RunCounters {
  int64_t id = 0;  // number of the network in its process
  int64_t runs = 0;
  std::chrono::microseconds total{0};
  std::chrono::microseconds last{0};
  size_t buffers = 0;  // number of inputs and outputs
  size_t buffer_bytes = 0;
};

// Appends the line "pid: 1, nid: 2, inference_count: 3, ..., layers: 4" with a newline.
void AppendCountersLine(int pid, const RunCounters& counters, size_t layers, std::string& text);

// A header, and a row for each instruction of each executor with its cost in the last run. `cycle`
// is 0, because the emulated NPU has no clock; time_us is measured on this machine; byte_rd and
// byte_wr are the sizes of operands and outputs. ot is the target's engine that runs the layer: NN,
// TP, SH (the parallel processing unit), GPU or SW (the CPU); -- in models of older versions. The
// name is the layer's type as a board's profile has it, with the imported nodes that it is made of.
// REQUIRES: the executors measure (ExecutorOptions::profile).
std::string ProfileTable(const std::vector<const ::synap_internal::Executor*>& executors);

}  // namespace synaptics::synap

#endif  // RUNTIME_API_NETWORK_PROFILE_H_
