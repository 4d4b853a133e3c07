#include "compiler/import/pt2/zip_checksums.h"

#include <cstddef>
#include <cstdint>

#include "runtime/bundle/crc32.h"

namespace synap_internal::pt2_import {
namespace {

// Sizes of what comes before an entry's name, in the directory and before its data.
constexpr size_t kDirectoryHeader = 46, kLocalHeader = 30;

// The little-endian number at an offset, which lies inside.
size_t Number(const std::string& bytes, size_t offset, size_t size) {
  size_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

}  // namespace

std::string WithChecksums(std::string bytes) {
  for (size_t at = bytes.find("PK\1\2");
       at != std::string::npos && at + kDirectoryHeader <= bytes.size();
       at = bytes.find("PK\1\2", at + 4)) {
    const size_t local = Number(bytes, at + 42, 4), size = Number(bytes, at + 24, 4);
    if (local + kLocalHeader > bytes.size()) continue;
    const size_t data =
        local + kLocalHeader + Number(bytes, local + 26, 2) + Number(bytes, local + 28, 2);
    if (data > bytes.size() || size > bytes.size() - data) continue;
    uint32_t checksum = Crc32({reinterpret_cast<const uint8_t*>(bytes.data()) + data, size});
    for (size_t i = 0; i < 4; ++i, checksum >>= 8) bytes[at + 16 + i] = static_cast<char>(checksum);
  }
  return bytes;
}

}  // namespace synap_internal::pt2_import
