// Description of a compiled program (model.nb) as text.
#ifndef RUNTIME_CLI_PROGRAM_TEXT_H_
#define RUNTIME_CLI_PROGRAM_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace synap_internal {

enum class ProgramDetail {
  kSummary,  // name, target, inputs, outputs, number of layers, memory
  kLayers,   // and a table of the layers
};

// Reads, checks and describes a program. InvalidArgument, without the file's name, for damaged
// programs; Unimplemented for those of the NPU itself (EBGX, VPMN).
absl::StatusOr<std::string> ProgramText(absl::Span<const uint8_t> bytes, ProgramDetail detail);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_PROGRAM_TEXT_H_
