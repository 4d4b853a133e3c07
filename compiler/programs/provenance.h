// Provenance of a compiled model: the target and the SHA-256 of the files that it was made of.
//
// A build writes it beside the model and compares it with its own files: a shared cache that gives
// another action's model is noticed.
#ifndef COMPILER_PROGRAMS_PROVENANCE_H_
#define COMPILER_PROGRAMS_PROVENANCE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace synap_internal {

struct CompiledFiles {
  std::string target;  // its name
  bool profiling = false;
  std::string graph;     // path: .sir or .qsir
  std::string metafile;  // path; "" without one
  std::string model;     // path: .synap
  std::string info;      // path: model_info.txt; "" without one
};

// A line for each field, which ends with a newline. Errors name the file.
absl::StatusOr<std::string> ProvenanceText(const CompiledFiles& files);

// FailedPrecondition naming the model and each field that differs, unless `provenance` is
// ProvenanceText of the files.
absl::Status CheckProvenance(const std::string& provenance, const CompiledFiles& files);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_PROVENANCE_H_
