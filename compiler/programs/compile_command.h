// Command `compile`: graph to an artifact for a target.
#ifndef COMPILER_PROGRAMS_COMPILE_COMMAND_H_
#define COMPILER_PROGRAMS_COMPILE_COMMAND_H_

#include "compiler/programs/command.h"

namespace synap_internal {

void AddCompileCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_COMPILE_COMMAND_H_
