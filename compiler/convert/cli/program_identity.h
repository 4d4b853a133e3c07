// Identity of the running program's code, for keys of caches that outlive the program.
#ifndef COMPILER_CONVERT_CLI_PROGRAM_IDENTITY_H_
#define COMPILER_CONVERT_CLI_PROGRAM_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"

namespace synap_internal {

// 64 hexadecimal digits; others after any change of the program's file or of a shared library that
// it has loaded, the same wherever these files lie. The program counts with its content, a library
// with its linker's build ID, or with its content if it has none. Takes about a millisecond for
// each megabyte of the program; the caller keeps the result. Errors: a file can't be read.
absl::StatusOr<std::string> ProgramIdentity();

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_PROGRAM_IDENTITY_H_
