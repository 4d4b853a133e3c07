#include "compiler/import/stated_shape.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/import/text_dictionary.h"

namespace synap_internal {
namespace {

using TextEntries = std::map<std::string, std::string>;

// The numbers of "640", "[480, 640]" or "(480, 640)"; empty if it is anything else.
std::vector<int64_t> Numbers(const TextEntries& entries, const std::string& key) {
  const auto entry = entries.find(key);
  if (entry == entries.end()) return {};
  absl::string_view text = entry->second;
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return {number};
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    return ParseIntegers(absl::StrCat("[", text.substr(1, text.size() - 2), "]"));
  }
  return ParseIntegers(text);
}

int64_t Number(const TextEntries& entries, const std::string& key, int64_t absent) {
  const std::vector<int64_t> numbers = Numbers(entries, key);
  return numbers.size() == 1 ? numbers[0] : absent;
}

}  // namespace

std::optional<Shape> StatedShape(const TextEntries& entries) {
  std::vector<int64_t> dims = Numbers(entries, "shape");
  const std::vector<int64_t> size = Numbers(entries, "imgsz");
  if (size.size() == 1 || size.size() == 2) {
    dims = {Number(entries, "batch", 1), Number(entries, "channels", 3), size.front(), size.back()};
  }
  constexpr int64_t kMost = 1 << 20;
  const bool is_shape = dims.size() == 4 && std::all_of(dims.begin(), dims.end(), [](int64_t dim) {
                          return dim >= 1 && dim <= kMost;
                        });
  if (!is_shape) return std::nullopt;
  return Shape(std::move(dims));
}

std::optional<Shape> StatedShapeOfTexts(const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts) {
    const std::optional<Shape> shape = StatedShape(ParseDictionary(text));
    if (shape.has_value()) return shape;
  }
  return std::nullopt;
}

std::string StatedShapeNote(absl::string_view input, const Shape& shape) {
  return absl::StrCat("input '", input, "': the network leaves its size open, the file states ",
                      shape.ToString(), "; 'name' and 'shape' in the metafile's inputs choose ",
                      "another");
}

}  // namespace synap_internal
