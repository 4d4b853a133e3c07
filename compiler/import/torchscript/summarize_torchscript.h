// What a TorchScript module says of itself.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SUMMARIZE_TORCHSCRIPT_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SUMMARIZE_TORCHSCRIPT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/model_summary.h"

namespace synap_internal {

// The operators of forward(), inlined and frozen. `reader` and errors: as
// ImportTorchscript's.
absl::StatusOr<ModelSummary> SummarizeTorchscript(const std::string& path,
                                                  const std::string& reader);

// The same for what the reader wrote.
absl::StatusOr<ModelSummary> SummarizeTorchscriptGraph(absl::string_view bytes);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SUMMARIZE_TORCHSCRIPT_H_
