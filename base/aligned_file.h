// A file's content in memory that kernels can read where it is.
#ifndef BASE_ALIGNED_FILE_H_
#define BASE_ALIGNED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"

namespace synap {

// A copy: unlike a mapping, it stays as it is when somebody writes to the file or cuts it off.
// Movable.
struct AlignedFile {
  AlignedMemory memory;  // the first byte of the file is its first byte
  size_t size = 0;       // of the file, in bytes

  absl::Span<const uint8_t> bytes() const { return {memory.data(), size}; }
};

// Reads a regular file of at most `max_bytes`. The error names the file and the reason, as that of
// ReadFile (file.h); InvalidArgument for larger files, ResourceExhausted without memory.
absl::StatusOr<AlignedFile> ReadAlignedFile(const std::string& path, size_t max_bytes);

}  // namespace synap

#endif  // BASE_ALIGNED_FILE_H_
