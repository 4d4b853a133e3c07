#include "compiler/convert/programs/command.h"
#include "compiler/convert/programs/import_command.h"
#include "compiler/convert/stages/import_stage.h"

using synap_internal::AddImportCommand;

int main(int argc, char** argv) {
  return synap_internal::RunProgram(
      argc, argv, [](synap_internal::CommandLine& app, synap_internal::Command& chosen) {
        AddImportCommand(app, chosen, synap_internal::ImportStage);
      });
}
