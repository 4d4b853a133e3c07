// Writer of canonical YAML: one spelling of each value, the same bytes on every machine.
#ifndef COMPILER_METAFILE_CANONICAL_YAML_H_
#define COMPILER_METAFILE_CANONICAL_YAML_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "compiler/metafile/words.h"

namespace synap_internal {

// A word of the metafile's own, as it is.
inline std::string YamlText(absl::string_view word) { return std::string(word); }
// In double quotes, so that no word reads as a number or a truth value.
std::string YamlText(const std::string& text);
std::string YamlText(bool value);
// The shortest decimal that reads back as `number`.
std::string YamlText(double number);
std::string YamlText(int64_t number);
// "[1, 2]".
template <typename T>
std::string YamlText(const std::vector<T>& values) {
  const auto append = [](std::string* out, const T& value) { *out += YamlText(value); };
  return absl::StrCat("[", absl::StrJoin(values, ", ", append), "]");
}
template <typename Enum, typename = decltype(Words<Enum>::kRows)>
std::string YamlText(Enum value) {
  return YamlText(Name(value));
}
// REQUIRES: value.has_value().
template <typename T>
std::string YamlText(const std::optional<T>& value) {
  return YamlText(*value);
}

// Lines of a YAML map, in the order of the calls.
class MapWriter {
 public:
  // `value` is YAML of one line.
  void Add(absl::string_view field, absl::string_view value);
  // Nothing for an empty map.
  void AddMap(absl::string_view field, const MapWriter& map);
  // A list of maps; an empty map is an entry of defaults. Nothing for an empty list.
  void AddList(absl::string_view field, const std::vector<MapWriter>& list);
  // The fields of `map`.
  void Append(const MapWriter& map);
  bool empty() const { return lines_.empty(); }
  std::string Text() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_CANONICAL_YAML_H_
