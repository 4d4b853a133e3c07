#include <memory>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/ir/text.h"
#include "compiler/programs/stage_commands.h"
#include "compiler/programs/stage_flags.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

struct ImportFlags : StageFlags {
  PassOptions passes;
};

absl::Status Import(const ImportFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Graph graph,
                   ImportStage(flags.model.files, metafile, flags.passes, warnings));
  return WriteFileAtomically(flags.out, GraphFile(graph));
}

}  // namespace

void AddImportCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ImportFlags>();
  CLI::App* command = AddStageCommand(app, "import", "Read a model into a graph (.sir)",
                                      {.model = Takes::kRequired}, Import, flags, {}, chosen);
  command->add_option("--torchscript-reader", flags->model.files.reader,
                      "Program that reads TorchScript models; default: the one beside this");
  AddPassOptions(*command, flags->passes);
}

}  // namespace synap_internal
