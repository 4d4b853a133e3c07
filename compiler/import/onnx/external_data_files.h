// The files beside an ONNX model that hold data of its tensors.
#ifndef COMPILER_IMPORT_ONNX_EXTERNAL_DATA_FILES_H_
#define COMPILER_IMPORT_ONNX_EXTERNAL_DATA_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace synap_internal {

// Paths of the external data of all tensors in the model, those of subgraphs, functions and sparse
// tensors among them; sorted, each once, whether or not there is such a file. Errors as ImportOnnx.
absl::StatusOr<std::vector<std::string>> ExternalDataFiles(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_ONNX_EXTERNAL_DATA_FILES_H_
