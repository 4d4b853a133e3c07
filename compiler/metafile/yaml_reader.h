// Typed reader of YAML, with errors that name the place and the field: "model.yaml:3:9:
// inputs[0].scale: found a list, expected a number". Functions may
// throw YAML::Exception, which ReadYaml of yaml_document.h catches.
#ifndef COMPILER_METAFILE_YAML_READER_H_
#define COMPILER_METAFILE_YAML_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "compiler/metafile/source_location.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {

// A node with the path of the field that holds it ("inputs[0].scale"; "" for the whole document)
// and its place.
struct YamlValue {
  YAML::Node node;
  std::string field;
  SourceLocation location;

  bool IsNull() const { return !node.IsDefined() || node.IsNull(); }
};

class YamlReader {
 public:
  // A field that a map may have, with the reader of its value.
  struct Field {
    std::string name;
    std::function<absl::Status(const YamlValue&)> read;
    bool is_first = false;
  };

  explicit YamlReader(std::string path) : path_(std::move(path)) {}

  // The same reader, whose errors show no text that may be a key: of what was found they say the
  // size, unless it is a short word of lower-case letters.
  YamlReader WithoutTexts() const;
  bool shows_texts() const { return shows_texts_; }

  // InvalidArgument "<path>:<line>:<column>: <message>".
  absl::Status Error(SourceLocation location, absl::string_view message) const;

  // InvalidArgument "<path>:<line>:<column>: <field>: <message>".
  absl::Status FieldError(const YamlValue& value, absl::string_view message) const;

  // "<field>: found <description of the value>, expected <expected>". A text instead of a whole
  // document isn't shown: it may be a key's file that was named by mistake.
  absl::Status WrongValue(const YamlValue& value, absl::string_view expected) const;

  // Calls the reader of each field that the map has, first those with is_first, then the others in
  // the order written. A null is a map without fields. Errors: not a map; a field that isn't in the
  // list; a field written twice.
  absl::Status ReadMap(const YamlValue& map, const std::vector<Field>& fields) const;

  // The pairs of a map with free keys, in the order written. Errors: not a map; a key that isn't
  // a word or is written twice.
  absl::StatusOr<std::vector<std::pair<std::string, YamlValue>>> Pairs(const YamlValue& map) const;

  // The elements of a list; a null is an empty one.
  absl::StatusOr<std::vector<YamlValue>> List(const YamlValue& value) const;

  // Any scalar, numbers too; a null is "".
  absl::StatusOr<std::string> String(const YamlValue& value) const;
  absl::StatusOr<bool> Bool(const YamlValue& value) const;
  // Finite, and finite as a float32.
  absl::StatusOr<double> Number(const YamlValue& value) const;
  // A number for which `accepts` holds; `expected` describes such numbers.
  absl::StatusOr<double> Number(const YamlValue& value, absl::string_view expected,
                                bool (*accepts)(double)) const;
  absl::StatusOr<int64_t> Integer(const YamlValue& value, int64_t min, int64_t max) const;
  absl::StatusOr<std::vector<int64_t>> Integers(const YamlValue& value, int64_t min,
                                                int64_t max) const;

  // Index of the word in `words`.
  absl::StatusOr<size_t> Word(const YamlValue& value, const std::vector<std::string>& words) const;

 private:
  std::string Quoted(absl::string_view text) const;
  std::string Describe(const YAML::Node& node) const;

  std::string path_;
  bool shows_texts_ = true;
};

// Place of `node`; `fallback` for nodes whose place yaml-cpp doesn't keep (nulls).
SourceLocation LocationOf(const YAML::Node& node, SourceLocation fallback);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_YAML_READER_H_
