#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/programs/command.h"
#include "compiler/programs/import_command.h"

int main(int argc, char** argv) {
  return synap_internal::RunProgram(
      argc, argv, synap_internal::AddImportCommandOf<synap_internal::kTensorflowFramework>);
}
