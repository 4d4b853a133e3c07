// ZIP files with stored (uncompressed) entries, which can be used directly from
// memory.
#ifndef RUNTIME_BUNDLE_STORED_ZIP_H_
#define RUNTIME_BUNDLE_STORED_ZIP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// Every entry's data starts at a multiple of this many bytes of the file.
inline constexpr size_t kZipAlignment = 64;

struct ZipEntry {
  std::string name;
  absl::Span<const uint8_t> data;
};

// The entries in the order of the central directory; data refers into `bytes` and
// may have any alignment. InvalidArgument unless `bytes` is a complete ZIP file of
// stored, unencrypted entries with correct checksums and different names;
// Unimplemented for ZIP64 and for several volumes.
absl::StatusOr<std::vector<ZipEntry>> ReadStoredZip(absl::Span<const uint8_t> bytes);

// A ZIP file of the entries in their order. The bytes depend on names and data
// only (all time stamps are 1980-01-01). ResourceExhausted if it would need
// ZIP64. REQUIRES: names differ and have 1 to 65535 bytes.
absl::StatusOr<std::string> WriteStoredZip(absl::Span<const ZipEntry> entries);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_STORED_ZIP_H_
