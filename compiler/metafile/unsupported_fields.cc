#include "compiler/metafile/unsupported_fields.h"

#include <string>

#include "base/check.h"

namespace synap_internal {
namespace {

bool AcceptsNothing(const YAML::Node&) { return false; }

bool IsSwitchedOff(const YAML::Node& value) {
  bool secure = true;
  return value.IsMap() && value["secure"] && YAML::convert<bool>::decode(value["secure"], secure) &&
         !secure;
}

constexpr UnsupportedField kFields[] = {
    {"security", "secure: false", "secure models aren't supported yet", IsSwitchedOff},
    {"inputs[].security", "", "secure models aren't supported yet", AcceptsNothing},
    {"outputs[].security", "", "secure models aren't supported yet", AcceptsNothing},
};

}  // namespace

absl::Span<const UnsupportedField> UnsupportedFields() { return kFields; }

const UnsupportedField& UnsupportedFieldAt(absl::string_view path) {
  for (const UnsupportedField& field : kFields) {
    if (field.path == path) return field;
  }
  CHECK(false);
}

}  // namespace synap_internal
