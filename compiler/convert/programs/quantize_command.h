// Command `quantize`: graph and statistics to a quantized graph (.qsir).
#ifndef COMPILER_CONVERT_PROGRAMS_QUANTIZE_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_QUANTIZE_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddQuantizeCommand(CommandLine& app, Command& chosen);

// The same, whose --target is a file alone: LoadTarget of compiler/target/target.h. A program with
// this command doesn't hold the targets' data.
void AddQuantizeWithTargetFileCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_QUANTIZE_COMMAND_H_
