// Arguments that stand in a file, for more of them than a command line holds.
#ifndef COMPILER_CONVERT_PROGRAMS_ARGUMENT_FILES_H_
#define COMPILER_CONVERT_PROGRAMS_ARGUMENT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace synap_internal {

// Replaces each argument "@<path>" by the lines of that file, one argument each, as Bazel writes a
// parameter file of format "multiline". Lines that begin with @ are arguments themselves. A line
// for each argument: none has a line feed. Errors name the file.
absl::StatusOr<std::vector<std::string>> ExpandArgumentFiles(
    const std::vector<std::string>& arguments);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_ARGUMENT_FILES_H_
