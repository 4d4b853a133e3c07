// Reads dictionaries that exporters print into model files, as JSON or as Python prints them.
#ifndef COMPILER_IMPORT_TEXT_DICTIONARY_H_
#define COMPILER_IMPORT_TEXT_DICTIONARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

// The values of {"key": value, ...} by key, keys and texts without their quotes, other values as
// they are written. Empty if the text is no dictionary.
std::map<std::string, std::string> ParseDictionary(absl::string_view text);

// The names of classes: values of {0: "person", ...} in the order of the numbers, or the elements
// of ["person", ...]. Empty if the text is neither, or the numbers aren't 0, 1, 2, ...
std::vector<std::string> ParseNames(absl::string_view text);

// The numbers of "[17, 3]"; empty if the text is no list of integers.
std::vector<int64_t> ParseIntegers(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TEXT_DICTIONARY_H_
