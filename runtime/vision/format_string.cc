#include "runtime/vision/format_string.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace synap_internal {
namespace {

absl::Status Unexpected(absl::string_view key, absl::string_view value,
                        absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("format attribute '", key, "' is '",
                                                 value.substr(0, 60), "', expected ", expected));
}

// Splits at blanks outside of brackets.
std::vector<std::string> Tokens(absl::string_view text) {
  std::vector<std::string> tokens;
  std::string token;
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']' && depth > 0) --depth;
    if (!absl::ascii_isspace(c)) {
      token += c;
    } else if (depth == 0 && !token.empty()) {
      tokens.push_back(std::exchange(token, {}));
    }
  }
  if (!token.empty()) tokens.push_back(std::move(token));
  return tokens;
}

// "[a,b]" -> "a,b".
bool StripBrackets(absl::string_view* text) {
  if (text->size() < 2 || text->front() != '[' || text->back() != ']') return false;
  *text = text->substr(1, text->size() - 2);
  return true;
}

bool ParseFloats(absl::string_view text, std::vector<float>* values) {
  if (text.empty()) return true;
  for (const absl::string_view item : absl::StrSplit(text, ',')) {
    float value = 0;
    if (!absl::SimpleAtof(item, &value) || !std::isfinite(value)) return false;
    values->push_back(value);
  }
  return true;
}

}  // namespace

FormatString FormatString::Parse(absl::string_view text) {
  FormatString format;
  bool first = true;
  for (const std::string& token : Tokens(text)) {
    const size_t equals = token.find('=');
    if (equals != std::string::npos) {
      format.attributes_[token.substr(0, equals)] = token.substr(equals + 1);
    } else if (first) {
      format.type_ = token;
    }
    first = false;
  }
  return format;
}

const std::string* FormatString::Find(absl::string_view key) const {
  const auto it = attributes_.find(std::string(key));
  return it == attributes_.end() ? nullptr : &it->second;
}

std::string FormatString::Get(absl::string_view key) const {
  const std::string* text = Find(key);
  return text == nullptr ? std::string() : *text;
}

absl::StatusOr<int> FormatString::Int(absl::string_view key, int fallback) const {
  const std::string* text = Find(key);
  if (text == nullptr) return fallback;
  int value = 0;
  if (!absl::SimpleAtoi(*text, &value)) return Unexpected(key, *text, "an integer");
  return value;
}

absl::StatusOr<float> FormatString::Float(absl::string_view key, float fallback) const {
  const std::string* text = Find(key);
  if (text == nullptr) return fallback;
  float value = 0;
  if (!absl::SimpleAtof(*text, &value) || !std::isfinite(value)) {
    return Unexpected(key, *text, "a finite number");
  }
  return value;
}

absl::StatusOr<bool> FormatString::Bool(absl::string_view key, bool fallback) const {
  const std::string* text = Find(key);
  if (text == nullptr) return fallback;
  if (*text == "1" || *text == "true") return true;
  if (*text == "0" || *text == "false") return false;
  return Unexpected(key, *text, "0 or 1");
}

absl::StatusOr<std::vector<float>> FormatString::Floats(absl::string_view key) const {
  std::vector<float> values;
  const std::string* text = Find(key);
  if (text == nullptr) return values;
  absl::string_view rest = *text;
  if (!StripBrackets(&rest) || !ParseFloats(rest, &values)) {
    return Unexpected(key, *text, "a list of numbers, as in [1,2,3]");
  }
  return values;
}

absl::StatusOr<std::vector<std::vector<float>>> FormatString::FloatLists(
    absl::string_view key) const {
  std::vector<std::vector<float>> lists;
  const std::string* text = Find(key);
  if (text == nullptr) return lists;
  const absl::Status error =
      Unexpected(key, *text, "a list of lists of numbers, as in [[],[1,2],[3,4]]");
  absl::string_view rest = *text;
  if (!StripBrackets(&rest)) return error;
  if (!rest.empty() && rest.front() != '[') {
    lists.emplace_back();
    if (!ParseFloats(rest, &lists.back())) return error;
    return lists;
  }
  while (!rest.empty()) {
    const size_t end = rest.find(']');
    if (end == absl::string_view::npos) return error;
    absl::string_view inner = rest.substr(0, end + 1);
    lists.emplace_back();
    if (!StripBrackets(&inner) || !ParseFloats(inner, &lists.back())) return error;
    rest.remove_prefix(end + 1);
    if (rest.empty()) break;
    if (rest.front() != ',' || rest.size() == 1) return error;
    rest.remove_prefix(1);
  }
  return lists;
}

std::string FormatType(absl::string_view text) { return FormatString::Parse(text).type(); }

}  // namespace synap_internal
