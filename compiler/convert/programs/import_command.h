// Command `import`: a model file to a graph (.sir).
#ifndef COMPILER_CONVERT_PROGRAMS_IMPORT_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_IMPORT_COMMAND_H_

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/convert/programs/command.h"
#include "compiler/convert/stages/import_network.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/framework.h"
#include "compiler/import/model_files.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// ImportStage, or what reads fewer frameworks.
using ImportFunction = absl::StatusOr<Graph> (*)(const ModelFiles& files, const Metafile& metafile,
                                                 const PassOptions& passes, Warnings& warnings);

void AddImportCommand(CommandLine& app, Command& chosen, ImportFunction import);

// The command for models of one framework. A program with it links, and depends on, no other.
template <const Framework& framework>
void AddImportCommandOf(CommandLine& app, Command& chosen) {
  AddImportCommand(app, chosen,
                   [](const ModelFiles& files, const Metafile& metafile, const PassOptions& passes,
                      Warnings& warnings) {
                     return ImportNetwork(framework, files, metafile, passes, warnings);
                   });
}

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_IMPORT_COMMAND_H_
