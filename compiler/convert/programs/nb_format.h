// Checks of whether a model can be written as model.nb and model.json: one program and its
// description.
#ifndef COMPILER_CONVERT_PROGRAMS_NB_FORMAT_H_
#define COMPILER_CONVERT_PROGRAMS_NB_FORMAT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/target/target.h"

namespace synap_internal {

// InvalidArgument for a target without an NPU, before any work. `option` is what asks for the
// format, `instead` what else to write: "--out-format nb", "use --out-format synap".
absl::Status CheckTargetRunsNb(const Target& target, absl::string_view option,
                               absl::string_view instead);

// InvalidArgument for a model of several subgraphs.
absl::Status CheckIsOneProgram(const CompiledModel& model, absl::string_view option,
                               absl::string_view instead);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_NB_FORMAT_H_
