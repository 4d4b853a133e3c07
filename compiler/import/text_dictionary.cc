#include "compiler/import/text_dictionary.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace synap_internal {
namespace {

// The text between the brackets; nullopt if it doesn't begin and end with them.
std::optional<absl::string_view> Inside(absl::string_view text, char open, char close) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// Splits at `separator` outside of quotes and brackets, at most into `most` parts.
std::vector<absl::string_view> SplitOutside(absl::string_view text, char separator, size_t most) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size() && parts.size() + 1 < most; ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '(') {
      ++depth;
    } else if (c == ']' || c == '}' || c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Without quotes; the escapes of quotes and backslashes are undone, others stay.
std::string Plain(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  if (!quoted) return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size() &&
                         (text[i + 1] == '"' || text[i + 1] == '\'' || text[i + 1] == '\\');
    plain.push_back(text[escapes ? ++i : i]);
  }
  return plain;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

std::optional<Entries> ReadEntries(absl::string_view text) {
  const std::optional<absl::string_view> inside = Inside(text, '{', '}');
  if (!inside.has_value()) return std::nullopt;
  Entries entries;
  for (const absl::string_view entry : SplitOutside(*inside, ',', inside->size() + 2)) {
    if (absl::StripAsciiWhitespace(entry).empty()) continue;  // after the last comma
    const std::vector<absl::string_view> sides = SplitOutside(entry, ':', 2);
    if (sides.size() != 2) return std::nullopt;
    entries.emplace_back(Plain(sides[0]), Plain(sides[1]));
  }
  return entries;
}

}  // namespace

std::map<std::string, std::string> ParseDictionary(absl::string_view text) {
  std::map<std::string, std::string> result;
  std::optional<Entries> entries = ReadEntries(text);
  if (!entries.has_value()) return result;
  for (auto& [key, value] : *entries) result.emplace(std::move(key), std::move(value));
  return result;
}

std::vector<std::string> ParseNames(absl::string_view text) {
  std::vector<std::string> names;
  if (const auto list = Inside(text, '[', ']'); list.has_value()) {
    for (const absl::string_view name : SplitOutside(*list, ',', list->size() + 2)) {
      if (!absl::StripAsciiWhitespace(name).empty()) names.push_back(Plain(name));
    }
    return names;
  }
  const std::map<std::string, std::string> entries = ParseDictionary(text);
  names.resize(entries.size());
  for (const auto& [key, name] : entries) {
    uint64_t index = 0;
    if (!absl::SimpleAtoi(key, &index) || index >= names.size()) return {};
    names[index] = name;
  }
  return names;
}

std::vector<int64_t> ParseIntegers(absl::string_view text) {
  std::vector<int64_t> numbers;
  std::optional<absl::string_view> list = Inside(text, '[', ']');
  if (!list.has_value()) list = Inside(text, '(', ')');
  if (!list.has_value()) return numbers;
  for (const absl::string_view word : absl::StrSplit(*list, ',')) {
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(word), &numbers.emplace_back())) return {};
  }
  return numbers;
}

}  // namespace synap_internal
