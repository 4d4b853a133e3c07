// Command `quantize`: graph and statistics to a quantized graph (.qsir).
#ifndef COMPILER_PROGRAMS_QUANTIZE_COMMAND_H_
#define COMPILER_PROGRAMS_QUANTIZE_COMMAND_H_

#include "compiler/programs/command.h"

namespace synap_internal {

void AddQuantizeCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_QUANTIZE_COMMAND_H_
