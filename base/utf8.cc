#include "base/utf8.h"

#include <cstdint>

namespace synap_internal {

size_t FirstCharacterSize(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) > 0xF4 || text.size() < size) return 0;
  uint32_t code = byte(0) & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return byte(0) >= 0xC0 && code >= kLeast[size] && code <= 0x10FFFF && !is_surrogate ? size : 0;
}

size_t ValidUtf8Prefix(absl::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    const size_t size = FirstCharacterSize(text.substr(valid));
    if (size == 0) break;
    valid += size;
  }
  return valid;
}

}  // namespace synap_internal
