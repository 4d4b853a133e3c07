// Recognizes TorchScript modules by their bytes, without libtorch.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_MODULE_FILE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_MODULE_FILE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace synap_internal::torchscript_import {

// OK for a ZIP archive with code in it. InvalidArgument that says what the file is
// instead: a state dict or a pickled module (with what to do), a Git LFS pointer,
// a damaged archive, something else.
absl::Status CheckModuleFile(absl::string_view bytes);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_MODULE_FILE_H_
