// `synap inspect`: reports the contents of a model, and its layers on a target.
//
// `synap` has it. It is also a program of its own, which build rules run.
#ifndef COMPILER_CONVERT_PROGRAMS_INSPECT_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_INSPECT_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddInspectCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_INSPECT_COMMAND_H_
