#include "compiler/convert/programs/command.h"
#include "compiler/convert/programs/quantize_command.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(argc, argv, synap_internal::AddQuantizeWithTargetFileCommand);
}
