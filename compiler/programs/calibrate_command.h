// Command `calibrate`: samples through a graph, to statistics (.stats).
#ifndef COMPILER_PROGRAMS_CALIBRATE_COMMAND_H_
#define COMPILER_PROGRAMS_CALIBRATE_COMMAND_H_

#include "compiler/programs/command.h"

namespace synap_internal {

void AddCalibrateCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_CALIBRATE_COMMAND_H_
