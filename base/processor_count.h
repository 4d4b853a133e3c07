// Number of processors that this process may use.
#ifndef BASE_PROCESSOR_COUNT_H_
#define BASE_PROCESSOR_COUNT_H_

#include <string>

#include "absl/types/optional.h"

namespace synap_internal {

// The processors in the calling thread's affinity mask (taskset, cpusets), or ProcessorQuota() if
// that is less. At least 1. Reads a few files, so it isn't for inner loops. Any thread.
int ProcessorCount();

// The processor time that the process's control groups and their ancestors grant (a container's
// limit: cpu.max in version 2, cpu.cfs_quota_us in version 1), in processors, rounded up: 1.5
// processors are 2. At least 1; nullopt without a limit. root: folder of proc/ and sys/, "" for the
// running system.
absl::optional<int> ProcessorQuota(const std::string& root);

}  // namespace synap_internal

#endif  // BASE_PROCESSOR_COUNT_H_
