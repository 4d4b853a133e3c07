// A file's content in memory that is aligned for kernels.
#ifndef BASE_ALIGNED_FILE_H_
#define BASE_ALIGNED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"

namespace synap_internal {

// A copy of a file: unlike a mapping, it doesn't change when another process writes to the file or
// truncates it. Movable.
struct AlignedFile {
  AlignedMemory memory;  // starts with the first byte of the file
  size_t size = 0;       // size of the file in bytes

  absl::Span<const uint8_t> bytes() const { return {memory.data(), size}; }
};

// Reads a regular file of at most `max_bytes` bytes. Errors begin with the path, as those of
// ReadFile (file.h); InvalidArgument for a larger file, ResourceExhausted if memory is missing.
absl::StatusOr<AlignedFile> ReadAlignedFile(const std::string& path, size_t max_bytes);

}  // namespace synap_internal

#endif  // BASE_ALIGNED_FILE_H_
