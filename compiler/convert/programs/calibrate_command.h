// Command `calibrate`: samples through a graph, to statistics (.stats).
#ifndef COMPILER_CONVERT_PROGRAMS_CALIBRATE_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_CALIBRATE_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddCalibrateCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_CALIBRATE_COMMAND_H_
