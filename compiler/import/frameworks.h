// Table of all frameworks whose models can be imported.
#ifndef COMPILER_IMPORT_FRAMEWORKS_H_
#define COMPILER_IMPORT_FRAMEWORKS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/import/framework.h"
#include "compiler/import/model_files.h"

namespace synap_internal {

// In the order of the docs.
absl::Span<const Framework* const> AllFrameworks();

// The framework of a model by its file's suffix, upper or lower case. InvalidArgument naming the
// file and the known suffixes for others.
absl::StatusOr<const Framework*> FindFramework(const std::string& model);

// InvalidArgument if the framework keeps weights in a second file and there is none, or the other
// way round.
absl::Status CheckWeights(const Framework& framework, const ModelFiles& files);

// The table of formats in docs/frameworks.md.
std::string FrameworksMarkdown();

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_FRAMEWORKS_H_
