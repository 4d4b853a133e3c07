// Commands for the single stages of a conversion, for build systems and for debugging.
//
// `synap` has all of them. Each is also a program of its own, with the same arguments: build rules
// run that one, so that a change elsewhere in the compiler leaves their results as they are.
#ifndef COMPILER_PROGRAMS_STAGE_COMMANDS_H_
#define COMPILER_PROGRAMS_STAGE_COMMANDS_H_

#include "CLI/CLI.hpp"
#include "compiler/programs/command.h"

namespace synap_internal {

void AddMetapartCommand(CLI::App& app, Command& chosen);
void AddImportCommand(CLI::App& app, Command& chosen);
void AddCalibrateCommand(CLI::App& app, Command& chosen);
void AddQuantizeCommand(CLI::App& app, Command& chosen);
void AddCompileCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_STAGE_COMMANDS_H_
