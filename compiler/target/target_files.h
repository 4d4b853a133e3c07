// The files of data/, which the build puts into the program.
#ifndef COMPILER_TARGET_TARGET_FILES_H_
#define COMPILER_TARGET_TARGET_FILES_H_

#include <vector>

#include "compiler/target/parse_target.h"

namespace synap_internal {

// In the order of their names.
std::vector<TargetFile> TargetFiles();

}  // namespace synap_internal

#endif  // COMPILER_TARGET_TARGET_FILES_H_
