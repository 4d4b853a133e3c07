#include "runtime/bundle/crc32.h"

#include <array>
#include <cstddef>

namespace synap_internal {
namespace {

// kTables[k][b]: the effect of byte b followed by k zero bytes, so that eight
// bytes are taken at once (a whole model is summed when it is loaded).
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

uint32_t Crc32(absl::Span<const uint8_t> bytes) {
  uint32_t crc = ~uint32_t{0};
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const uint8_t* p = bytes.data() + i;
    crc = kTables[7][(crc ^ p[0]) & 0xFF] ^ kTables[6][((crc >> 8) ^ p[1]) & 0xFF] ^
          kTables[5][((crc >> 16) ^ p[2]) & 0xFF] ^ kTables[4][(crc >> 24) ^ p[3]] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ kTables[0][(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

}  // namespace synap_internal
