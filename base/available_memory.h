// Memory that this process can have.
#ifndef BASE_AVAILABLE_MEMORY_H_
#define BASE_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace synap {

// Bytes that new data can fill now: free memory, what the kernel can free for it, and free swap
// space, or what the process's control group (a container) has left, if that is less. INT64_MAX
// where the system doesn't say. Reads a few files below /proc and /sys, so it isn't for inner
// loops. Any thread.
int64_t AvailableMemory();

// False for bytes that AvailableMemory() falls short of. A small number of bytes (64 MiB) is always
// available: asking would cost more than allocating.
bool IsAvailable(uint64_t bytes);

// "4.0 GiB" or "512 bytes", for messages.
std::string MemorySizeText(uint64_t bytes);

// The number in the line "<key>: <number> kB" or "<key> <number>" of `text`, in bytes.
absl::optional<int64_t> MemoryField(absl::string_view text, absl::string_view key);

}  // namespace synap

#endif  // BASE_AVAILABLE_MEMORY_H_
