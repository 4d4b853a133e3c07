// CRC-32, the checksum of ZIP files.
#ifndef RUNTIME_BUNDLE_CRC32_H_
#define RUNTIME_BUNDLE_CRC32_H_

#include <cstdint>

#include "absl/types/span.h"

namespace synap_internal {

// The checksum with the polynomial 0xEDB88320, reflected, initial and final value inverted.
uint32_t Crc32(absl::Span<const uint8_t> bytes);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_CRC32_H_
