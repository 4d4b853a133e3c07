// Typed reading of YAML with messages that say where and what: "model.yaml:3:9: 'scale' must be a
// number, found a list". Private to the metafile's parser. Functions may throw YAML::Exception,
// which ParseMetafile catches.
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
#include "compiler/metafile/metafile.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {

// A node, the field that holds it (for messages: "inputs[0].scale") and its place.
struct YamlValue {
  YAML::Node node;
  std::string field;
  SourceLocation location;

  bool IsNull() const { return !node.IsDefined() || node.IsNull(); }
};

class YamlReader {
 public:
  // A field that a map may have, and what is done with its value.
  struct Field {
    std::string name;
    std::function<absl::Status(const YamlValue&)> read;
  };

  explicit YamlReader(std::string path) : path_(std::move(path)) {}

  // InvalidArgument "<path>:<line>:<column>: <message>".
  absl::Status Error(SourceLocation location, absl::string_view message) const;

  // "'<field>' must be <expected>, found <what the value is>".
  absl::Status WrongType(const YamlValue& value, absl::string_view expected) const;

  // Calls the reader of each field that the map has, in the order written. A null is a map without
  // fields. Errors: not a map; a field that isn't in the list; one that is there twice.
  absl::Status ReadMap(const YamlValue& map, const std::vector<Field>& fields) const;

  // The pairs of a map whose keys are free, in the order written. Errors: not a map; a key that
  // isn't a word or is there twice.
  absl::StatusOr<std::vector<std::pair<std::string, YamlValue>>> Pairs(const YamlValue& map) const;

  // The elements of a list; a null is an empty one.
  absl::StatusOr<std::vector<YamlValue>> List(const YamlValue& value) const;

  absl::StatusOr<std::string> String(
      const YamlValue& value) const;  // numbers and words too; a null is ""
  absl::StatusOr<bool> Bool(const YamlValue& value) const;
  absl::StatusOr<double> Number(const YamlValue& value) const;  // finite
  absl::StatusOr<int64_t> Integer(const YamlValue& value, int64_t min, int64_t max) const;
  absl::StatusOr<std::vector<int64_t>> Integers(const YamlValue& value, int64_t min,
                                                int64_t max) const;

  // One of `words`; returns its index.
  absl::StatusOr<size_t> Word(const YamlValue& value, const std::vector<std::string>& words) const;

 private:
  std::string path_;
};

// The place of `node`, or `fallback` if the parser didn't keep it (nulls).
SourceLocation LocationOf(const YAML::Node& node, SourceLocation fallback);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_YAML_READER_H_
