#include "compiler/convert/programs/command.h"
#include "compiler/convert/programs/import_command.h"
#include "compiler/import/torchscript/import_torchscript.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(
      argc, argv, synap_internal::AddImportCommandOf<synap_internal::kTorchscriptFramework>);
}
