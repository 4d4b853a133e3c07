// Runs synap_torchscript_reader.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_RUN_READER_H_
#define COMPILER_IMPORT_TORCHSCRIPT_RUN_READER_H_

#include <string>

#include "absl/status/statusor.h"

namespace synap_internal::torchscript_import {

// The reader's output for the module in a file. `reader`: its path; empty: where
// FindReader looks. Errors begin with `path` and are InvalidArgument for files that
// aren't modules and for what libtorch refuses, NotFound, FailedPrecondition if
// there is no reader or it has no libtorch, ResourceExhausted if it runs out of
// memory or time, Internal if it crashes.
absl::StatusOr<std::string> RunReader(const std::string& path, const std::string& reader);

// Beside this program, or among its runfiles. FailedPrecondition if it isn't there.
absl::StatusOr<std::string> FindReader();

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_RUN_READER_H_
