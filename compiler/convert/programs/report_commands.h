// `synap report` and `synap diff`: what is in a compiled model, and what differs between two.
//
// `synap` has them. They are also a program of their own, which build rules run.
#ifndef COMPILER_CONVERT_PROGRAMS_REPORT_COMMANDS_H_
#define COMPILER_CONVERT_PROGRAMS_REPORT_COMMANDS_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddReportCommands(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_REPORT_COMMANDS_H_
