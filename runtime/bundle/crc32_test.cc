#include "runtime/bundle/crc32.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

uint32_t Crc32Of(const std::string& text) { return Crc32(AsBytes(text)); }

// The definition, bit by bit.
uint32_t Reference(absl::Span<const uint8_t> bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

TEST(Crc32Test, IsThatOfZipFiles) {
  EXPECT_EQ(Crc32Of(""), 0u);
  EXPECT_EQ(Crc32Of("123456789"), 0xCBF43926u);  // the check value of the CRC catalogues
}

TEST(Crc32Test, EqualsTheDefinitionForAllLengthsAndAlignments) {
  std::vector<uint8_t> bytes(700);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i * 31 + i);
  for (size_t size = 0; size < 400; ++size) {
    const absl::Span<const uint8_t> part = absl::MakeConstSpan(bytes).subspan(size % 67, size);
    ASSERT_EQ(Crc32(part), Reference(part)) << size << " bytes";
  }
}

}  // namespace
}  // namespace synap_internal
