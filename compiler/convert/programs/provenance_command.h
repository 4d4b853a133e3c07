// `synap provenance`: tells whether a model is made of the files that a build asks for.
//
// `synap` has it. It is also a program of its own, which build rules run.
#ifndef COMPILER_CONVERT_PROGRAMS_PROVENANCE_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_PROVENANCE_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddProvenanceCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_PROVENANCE_COMMAND_H_
