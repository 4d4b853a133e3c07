// Command `metapart`: the part of a metafile that a stage reads.
#ifndef COMPILER_CONVERT_PROGRAMS_METAPART_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_METAPART_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddMetapartCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_METAPART_COMMAND_H_
