// `synap export`: writes a graph as ONNX or TensorFlow Lite, for Netron, runtimes and vendors'
// tools.
//
// `synap` has it. It is also a program of its own, which build rules run.
#ifndef COMPILER_CONVERT_PROGRAMS_EXPORT_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_EXPORT_COMMAND_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

void AddExportCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_EXPORT_COMMAND_H_
