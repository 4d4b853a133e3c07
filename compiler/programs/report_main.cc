#include "compiler/programs/command.h"
#include "compiler/programs/report_commands.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(argc, argv, synap_internal::AddReportCommands);
}
