// Table of the metafile's fields that other toolkits act on and conversions here don't yet.
//
// The parser collects their uses, CheckSupported refuses them, docs/reference.md lists them.
// Private to the parser and the docs: everyone else asks CheckSupported.
#ifndef COMPILER_METAFILE_UNSUPPORTED_FIELDS_H_
#define COMPILER_METAFILE_UNSUPPORTED_FIELDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {

struct UnsupportedField {
  absl::string_view path;      // "inputs[].security"; [] stands for each entry of a list
  absl::string_view accepted;  // values that ask for nothing, for errors; "" if there are none
  absl::string_view sentence;  // what isn't supported yet
  // Whether `value`, which isn't null, is one of `accepted`. May throw YAML::Exception.
  bool (*accepts)(const YAML::Node& value);
};

absl::Span<const UnsupportedField> UnsupportedFields();

// The row of that path. REQUIRES: there is one.
const UnsupportedField& UnsupportedFieldAt(absl::string_view path);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_UNSUPPORTED_FIELDS_H_
