#include "compiler/programs/one_line.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace synap_internal {

std::string OneLine(absl::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    // U+0080 to U+009F, which are control characters, too.
    const bool is_c1 =
        byte == 0xc2 && i + 1 < text.size() && static_cast<uint8_t>(text[i + 1]) < 0xa0;
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&line, "\\x%02x", byte);
    } else if (is_c1) {
      absl::StrAppendFormat(&line, "\\x%02x", static_cast<uint8_t>(text[++i]));
    } else {
      line += text[i];
    }
  }
  return line;
}

}  // namespace synap_internal
