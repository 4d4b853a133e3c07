// `synap preprocess`: makes a model that only converts pictures, for an input of another model.
//
// `synap` has it. It is also a program of its own, which build rules run.
#ifndef COMPILER_CONVERT_PROGRAMS_PREPROCESS_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_PREPROCESS_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddPreprocessCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_PREPROCESS_COMMAND_H_
