// What a frozen TensorFlow graph says of itself.
#ifndef COMPILER_IMPORT_TENSORFLOW_SUMMARIZE_TENSORFLOW_H_
#define COMPILER_IMPORT_TENSORFLOW_SUMMARIZE_TENSORFLOW_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// Inputs are the placeholders, outputs the nodes that no other reads. InvalidArgument if the file
// is no graph; errors begin with `path`.
absl::StatusOr<ModelSummary> SummarizeTensorflow(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TENSORFLOW_SUMMARIZE_TENSORFLOW_H_
