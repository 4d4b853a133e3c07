// Memory that this process can still allocate.
#ifndef BASE_AVAILABLE_MEMORY_H_
#define BASE_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace synap_internal {

// Bytes that can be allocated now: free memory, memory that the kernel can reclaim, and free swap
// space; or the rest of the process's control group limit (a container), if that is less.
// INT64_MAX if the system doesn't tell. Reads a few files below /proc and /sys, so it isn't for
// inner loops. Any thread.
int64_t AvailableMemory();

// True if `bytes` bytes can be allocated. Up to 64 MiB always count as available: asking would
// cost more than allocating.
bool IsAvailable(uint64_t bytes);

// "4.0 GiB" or "512 bytes", for messages.
std::string MemorySizeText(uint64_t bytes);

// The number in the line "<key>: <number> kB" or "<key> <number>" of `text`, in bytes.
absl::optional<int64_t> MemoryField(absl::string_view text, absl::string_view key);

}  // namespace synap_internal

#endif  // BASE_AVAILABLE_MEMORY_H_
