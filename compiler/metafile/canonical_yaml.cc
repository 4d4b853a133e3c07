#include "compiler/metafile/canonical_yaml.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

std::string YamlText(const std::string& text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < ' ' || byte == 0x7f) {
      absl::StrAppend(&quoted, "\\x", std::string{kHex[byte >> 4], kHex[byte & 15]});
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string YamlText(bool value) { return value ? "true" : "false"; }

std::string YamlText(double number) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

std::string YamlText(int64_t number) { return absl::StrCat(number); }

void MapWriter::Add(absl::string_view field, absl::string_view value) {
  lines_.push_back(absl::StrCat(field, ": ", value));
}

void MapWriter::AddMap(absl::string_view field, const MapWriter& map) {
  if (map.empty()) return;
  lines_.push_back(absl::StrCat(field, ":"));
  for (const std::string& line : map.lines_) lines_.push_back(absl::StrCat("  ", line));
}

void MapWriter::AddList(absl::string_view field, const std::vector<MapWriter>& list) {
  if (list.empty()) return;
  lines_.push_back(absl::StrCat(field, ":"));
  for (const MapWriter& map : list) {
    if (map.empty()) lines_.push_back("  - {}");
    for (size_t i = 0; i < map.lines_.size(); ++i) {
      lines_.push_back(absl::StrCat(i == 0 ? "  - " : "    ", map.lines_[i]));
    }
  }
}

void MapWriter::Append(const MapWriter& map) {
  lines_.insert(lines_.end(), map.lines_.begin(), map.lines_.end());
}

std::string MapWriter::Text() const {
  return empty() ? "{}\n" : absl::StrCat(absl::StrJoin(lines_, "\n"), "\n");
}

}  // namespace synap_internal
