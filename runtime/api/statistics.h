// Statistics of the emulated NPU as text files, like those of the NPU's driver in sysfs.
#ifndef RUNTIME_API_STATISTICS_H_
#define RUNTIME_API_STATISTICS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/api/network_profile.h"

namespace synap_internal {

// The entry of one loaded network in the files of the folder $SYNAP_SYSFS, or
// $XDG_RUNTIME_DIR/synap/statistics without that variable; there are no files without either. They
// are shared by all processes that use the folder:
//   inference_count   the number of runs of all networks
//   inference_time    their time in microseconds
//   networks          a line (CountersLine) for each network that is loaded, at most 64
//   network_profile   line and layers of the last run, of each that measures its layers
// Writing anything to inference_count or inference_time sets them, and the counters of all
// networks, to 0 at the next run. Entries of processes that ended without unloading their networks
// go when the next network is loaded.
//
// A file that can't be written is left as it is: nothing fails. If other processes keep the files
// locked, a run is added with a later one. Not thread-safe; different objects are independent.
class NetworkStatistics {
 public:
  // counters: of a network that hasn't run yet.
  NetworkStatistics(const synaptics::synap::RunCounters& counters, size_t layers) noexcept;
  NetworkStatistics(const NetworkStatistics&) = delete;
  NetworkStatistics& operator=(const NetworkStatistics&) = delete;
  ~NetworkStatistics();

  // Adds a run. table: its layers (ProfileTable), "" if they aren't measured.
  void AddRun(std::chrono::microseconds time, const std::string& table) noexcept;

 private:
  synaptics::synap::RunCounters pending_;  // runs that aren't in the files yet
  size_t layers_;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_STATISTICS_H_
