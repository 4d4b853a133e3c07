#include "compiler/convert/programs/import_command.h"

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct ImportFlags : StageFlags {
  ImportFunction import;
  std::string provenance;
  std::vector<std::string> data;
  PassOptions passes;
};

absl::Status Import(const ImportFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Graph graph,
                   flags.import(flags.model.files, metafile, flags.passes, warnings));
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, GraphFile(graph)));
  return WriteProvenance(flags.provenance,
                         RecordOf(ImportedFiles{flags.model.files.model, flags.model.files.weights,
                                                flags.data, flags.model.meta, flags.out}));
}

}  // namespace

void AddImportCommand(CommandLine& app, Command& chosen, ImportFunction import) {
  const auto flags = std::make_shared<ImportFlags>();
  flags->import = import;
  CommandLine command = AddStageCommand(app, "import", "Read a model into a graph (.sir)",
                                        {.model = Takes::kPositional}, Import, flags,
                                        {&ImportFlags::provenance}, chosen);
  command.AddOption("--torchscript-reader", flags->model.files.reader,
                    "Program that reads TorchScript models; default: the one beside this");
  AddProvenanceOption(command, flags->provenance);
  command.AddOption("--data", flags->data,
                    "For --provenance: files that may belong to the model, as external weights");
  AddPassOptions(command, flags->passes);
}

}  // namespace synap_internal
