// Target files: a chip as data, in YAML. README.md of this folder describes the fields.
#ifndef COMPILER_TARGET_PARSE_TARGET_H_
#define COMPILER_TARGET_PARSE_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/target/target.h"

namespace synap_internal {

struct TargetFile {
  // Its last part is the target's name and aliases: "vs680.vs680a0.dolphin.yaml".
  std::string path;
  std::string text;
};

// Name and aliases of a target in capitals, from its file's path. InvalidArgument, with the path,
// for what can't be a name.
absl::StatusOr<std::vector<std::string>> NamesOfFile(const std::string& path);

// The name in capitals that the file's `inherits` has; "" if it has none, or is no YAML.
std::string InheritedName(const TargetFile& file);

// The targets that the files describe, in the order of the files. A file may inherit from another
// one of `files`, or from one of `known`. InvalidArgument "<path>:<line>:<column>: <field>: ..."
// for anything but the documented fields and values, for files that inherit in a circle and for a
// name or alias that is given twice.
absl::StatusOr<std::vector<Target>> ParseTargets(absl::Span<const TargetFile> files,
                                                 absl::Span<const Target> known);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_PARSE_TARGET_H_
