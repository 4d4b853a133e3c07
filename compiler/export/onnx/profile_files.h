// The files of profiles/, which the build puts into the program.
#ifndef COMPILER_EXPORT_ONNX_PROFILE_FILES_H_
#define COMPILER_EXPORT_ONNX_PROFILE_FILES_H_

#include <vector>

#include "compiler/export/onnx/parse_profile.h"

namespace synap_internal {

// In the order of their names.
std::vector<ProfileFile> ProfileFiles();

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_PROFILE_FILES_H_
