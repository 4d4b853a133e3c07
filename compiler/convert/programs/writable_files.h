// Finds files that can't be written before a command has worked for long.
#ifndef COMPILER_CONVERT_PROGRAMS_WRITABLE_FILES_H_
#define COMPILER_CONVERT_PROGRAMS_WRITABLE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace synap_internal {

// Checks that files can be written at these paths, ignoring empty ones. Leaves no file. A full disk
// is no error here. Errors name the file.
absl::Status CheckCanWrite(const std::vector<std::string>& paths);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_WRITABLE_FILES_H_
