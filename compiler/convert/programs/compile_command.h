// Command `compile`: graph to an artifact for a target.
#ifndef COMPILER_CONVERT_PROGRAMS_COMPILE_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_COMPILE_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddCompileCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_COMPILE_COMMAND_H_
