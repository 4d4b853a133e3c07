#include "compiler/convert/cli/commands.h"
#include "compiler/convert/programs/command.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(argc, argv, synap_internal::AddAnalyzeCommand);
}
