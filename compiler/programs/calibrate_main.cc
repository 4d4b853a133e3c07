#include "compiler/programs/calibrate_command.h"
#include "compiler/programs/command.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(argc, argv, synap_internal::AddCalibrateCommand);
}
