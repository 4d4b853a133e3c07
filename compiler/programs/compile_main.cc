#include "compiler/programs/command.h"
#include "compiler/programs/compile_command.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(argc, argv, synap_internal::AddCompileCommand);
}
