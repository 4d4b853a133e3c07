// What a TensorFlow Lite file says of itself.
#ifndef COMPILER_IMPORT_TFLITE_SUMMARIZE_TFLITE_H_
#define COMPILER_IMPORT_TFLITE_SUMMARIZE_TFLITE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// InvalidArgument, or Unimplemented for several subgraphs, if the file is no model that can be
// read; errors begin with `path`.
absl::StatusOr<ModelSummary> SummarizeTflite(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TFLITE_SUMMARIZE_TFLITE_H_
