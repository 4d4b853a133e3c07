#include "compiler/metafile/yaml_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

std::string SizeOf(absl::string_view text) {
  return absl::StrCat("a text of ", text.size(), " bytes");
}

// A field's name or a truth value, but no key.
bool IsShortWord(absl::string_view text) {
  constexpr size_t kMax = 20;
  return text.size() <= kMax && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_islower(c) || c == '_' || c == ' ';
         });
}

// A scalar in quotation marks is text and never a number or a truth value.
bool IsPlain(const YAML::Node& node) { return node.IsScalar() && node.Tag() == "?"; }

// All numbers end as float32.
bool FitsFloat32(double number) { return std::abs(number) <= std::numeric_limits<float>::max(); }

}  // namespace

SourceLocation LocationOf(const YAML::Node& node, SourceLocation fallback) {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return fallback;
  return {mark.line + 1, mark.column + 1};
}

YamlReader YamlReader::WithoutTexts() const {
  YamlReader reader = *this;
  reader.shows_texts_ = false;
  return reader;
}

// The user's text in quotation marks, for a message: without control characters and long tails.
std::string YamlReader::Quoted(absl::string_view text) const {
  constexpr size_t kMax = 60;
  if (!shows_texts_ && !IsShortWord(text)) return SizeOf(text);
  std::string shown;
  for (const char c : text.substr(0, kMax)) shown += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return absl::StrCat("'", shown, text.size() > kMax ? "..." : "", "'");
}

std::string YamlReader::Describe(const YAML::Node& node) const {
  if (!node.IsDefined() || node.IsNull()) return "nothing";
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a map";
  const bool has_quotation_marks = node.Tag() == "!";
  return absl::StrCat(Quoted(node.Scalar()), has_quotation_marks ? " in quotation marks" : "");
}

absl::Status YamlReader::Error(SourceLocation location, absl::string_view message) const {
  if (location.line == 0) return absl::InvalidArgumentError(absl::StrCat(path_, ": ", message));
  return absl::InvalidArgumentError(
      absl::StrCat(path_, ":", location.line, ":", location.column, ": ", message));
}

absl::Status YamlReader::FieldError(const YamlValue& value, absl::string_view message) const {
  return Error(value.location,
               value.field.empty() ? message : absl::StrCat(value.field, ": ", message));
}

absl::Status YamlReader::WrongValue(const YamlValue& value, absl::string_view expected) const {
  const bool is_document = value.field.empty() && value.node.IsDefined() && value.node.IsScalar();
  return FieldError(
      value,
      absl::StrCat("found ", is_document ? SizeOf(value.node.Scalar()) : Describe(value.node),
                   ", expected ", expected));
}

absl::StatusOr<std::vector<std::pair<std::string, YamlValue>>> YamlReader::Pairs(
    const YamlValue& map) const {
  std::vector<std::pair<std::string, YamlValue>> pairs;
  if (map.IsNull()) return pairs;
  if (!map.node.IsMap()) return WrongValue(map, "a map");
  std::set<std::string> seen;
  const std::string prefix = map.field.empty() ? "" : absl::StrCat(map.field, ".");
  for (const auto& item : map.node) {
    const SourceLocation key_location = LocationOf(item.first, map.location);
    if (!item.first.IsScalar()) {
      return FieldError({map.node, map.field, key_location},
                        absl::StrCat("found ", Describe(item.first),
                                     " before a colon, expected a "
                                     "field's name"));
    }
    const std::string& key = item.first.Scalar();
    // Errors name the place of the field's name, which is where the user looks first.
    const YamlValue value = {item.second, absl::StrCat(prefix, key), key_location};
    if (!seen.insert(key).second) {
      return FieldError({map.node, map.field, key_location},
                        absl::StrCat("field ", Quoted(key), " is written twice; remove one"));
    }
    pairs.emplace_back(key, value);
  }
  return pairs;
}

absl::Status YamlReader::ReadMap(const YamlValue& map, const std::vector<Field>& fields) const {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  ASSIGN_OR_RETURN(const auto pairs, Pairs(map));
  for (const Field& field : fields) {
    for (const auto& [key, value] : pairs) {
      if (field.is_first && field.name == key) RETURN_IF_ERROR(field.read(value));
    }
  }
  for (const auto& [key, value] : pairs) {
    const Field* found = nullptr;
    for (const Field& field : fields) {
      if (field.name == key) found = &field;
    }
    if (found == nullptr) {
      return FieldError({map.node, map.field, value.location},
                        absl::StrCat("unknown field ", Quoted(key), DidYouMean(key, names),
                                     ", expected one of ", absl::StrJoin(names, ", ")));
    }
    if (!found->is_first) RETURN_IF_ERROR(found->read(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<YamlValue>> YamlReader::List(const YamlValue& value) const {
  std::vector<YamlValue> list;
  if (value.IsNull()) return list;
  if (!value.node.IsSequence()) return WrongValue(value, "a list");
  for (const auto& item : value.node) {
    list.push_back(
        {item, absl::StrCat(value.field, "[", list.size(), "]"), LocationOf(item, value.location)});
  }
  return list;
}

absl::StatusOr<std::string> YamlReader::String(const YamlValue& value) const {
  if (value.IsNull()) return std::string();
  if (!value.node.IsScalar()) return WrongValue(value, "a string");
  return value.node.Scalar();
}

absl::StatusOr<bool> YamlReader::Bool(const YamlValue& value) const {
  bool result = false;
  if (value.IsNull() || !IsPlain(value.node) || !YAML::convert<bool>::decode(value.node, result)) {
    return WrongValue(value, "true or false");
  }
  return result;
}

absl::StatusOr<double> YamlReader::Number(const YamlValue& value) const {
  double number = 0;
  if (value.IsNull() || !IsPlain(value.node) || !absl::SimpleAtod(value.node.Scalar(), &number) ||
      !std::isfinite(number)) {
    return WrongValue(value, "a number");
  }
  if (!FitsFloat32(number)) return WrongValue(value, "a number from -3.4e38 to 3.4e38");
  return number;
}

absl::StatusOr<double> YamlReader::Number(const YamlValue& value, absl::string_view expected,
                                          bool (*accepts)(double)) const {
  ASSIGN_OR_RETURN(const double number, Number(value));
  if (!accepts(number)) return WrongValue(value, expected);
  return number;
}

absl::StatusOr<int64_t> YamlReader::Integer(const YamlValue& value, int64_t min,
                                            int64_t max) const {
  int64_t number = 0;
  if (value.IsNull() || !IsPlain(value.node) || !absl::SimpleAtoi(value.node.Scalar(), &number) ||
      number < min || number > max) {
    return WrongValue(value, absl::StrCat("an integer from ", min, " to ", max));
  }
  return number;
}

absl::StatusOr<std::vector<int64_t>> YamlReader::Integers(const YamlValue& value, int64_t min,
                                                          int64_t max) const {
  if (value.IsNull() || !value.node.IsSequence()) return WrongValue(value, "a list of integers");
  ASSIGN_OR_RETURN(const std::vector<YamlValue> list, List(value));
  std::vector<int64_t> integers;
  for (const YamlValue& item : list) {
    ASSIGN_OR_RETURN(const int64_t integer, Integer(item, min, max));
    integers.push_back(integer);
  }
  return integers;
}

absl::StatusOr<size_t> YamlReader::Word(const YamlValue& value,
                                        const std::vector<std::string>& words) const {
  const std::string word = value.IsNull() || !value.node.IsScalar() ? "" : value.node.Scalar();
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  return WrongValue(value,
                    absl::StrCat("one of ", absl::StrJoin(words, ", "), DidYouMean(word, words)));
}

}  // namespace synap_internal
