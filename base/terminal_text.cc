#include "base/terminal_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/utf8.h"

namespace synap_internal {
namespace {

// The first character's code point. REQUIRES: `text` begins with valid UTF-8 of `size` bytes.
uint32_t CodePoint(absl::string_view text, size_t size) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (size == 1) return byte(0);
  uint32_t code = byte(0) & (0x7FU >> size);
  for (size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

bool IsControl(uint32_t code) {
  const bool is_c0_or_c1 = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_separator = code == 0x2028 || code == 0x2029;
  // Embeddings, overrides and isolates (Unicode Standard Annex 9).
  const bool is_direction =
      (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_c0_or_c1 || is_separator || is_direction;
}

// Not absl::StrAppendFormat, which ends the process without memory.
void AppendNumber(const char* format, uint32_t number, std::string& text) {
  char digits[16];
  std::snprintf(digits, sizeof(digits), format, number);
  text += digits;
}

std::string Escaped(absl::string_view text, absl::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const size_t size = FirstCharacterSize(text);
    const uint32_t code = size == 0 ? 0 : CodePoint(text, size);
    if (size == 0) {
      AppendNumber("\\x%02x", static_cast<uint8_t>(text[0]), shown);
    } else if (!IsControl(code) || (size == 1 && kept.find(text[0]) != kept.npos)) {
      shown.append(text.data(), size);
    } else if (code == '\n') {
      shown += "\\n";
    } else {
      AppendNumber("\\u%04x", code, shown);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return shown;
}

}  // namespace

std::string OneLine(absl::string_view text) { return Escaped(text, ""); }

std::string TerminalText(absl::string_view text) { return Escaped(text, "\n\t"); }

void PrintText(absl::string_view text) { std::fputs(TerminalText(text).c_str(), stdout); }

}  // namespace synap_internal
