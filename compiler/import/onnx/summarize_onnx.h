// What an ONNX file says of itself.
#ifndef COMPILER_IMPORT_ONNX_SUMMARIZE_ONNX_H_
#define COMPILER_IMPORT_ONNX_SUMMARIZE_ONNX_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// Inputs are those without an initializer. InvalidArgument, or Unimplemented for another version,
// if the file is no ONNX model that can be read; errors begin with `path`.
absl::StatusOr<ModelSummary> SummarizeOnnx(const std::string& path);
absl::StatusOr<ModelSummary> SummarizeOnnxBytes(absl::string_view bytes);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_ONNX_SUMMARIZE_ONNX_H_
