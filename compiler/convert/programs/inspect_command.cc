#include "compiler/convert/programs/inspect_command.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/import/model_files.h"
#include "compiler/report/inspect.h"

namespace synap_internal {
namespace {

struct InspectFlags {
  ModelOptions model = {.target = std::string(DefaultTarget().name)};
  std::string json, out;
};

absl::Status InspectCompiled(const ModelFiles& files, const Metafile& metafile,
                             Inspection& inspection) {
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(Graph graph, ImportStage(files, metafile, {}, warnings));
  if (metafile.quantized()) {
    ASSIGN_OR_RETURN(graph, Annotate(GraphToQuantize(std::move(graph), metafile, {}), files.model));
  }
  ASSIGN_OR_RETURN(const Graph compiled, CompiledGraph(graph, metafile, {}));
  ASSIGN_OR_RETURN(inspection.notes, PictureNotes(compiled, metafile));
  inspection.compiled = Summarize(compiled, *inspection.target);
  return absl::OkStatus();
}

absl::Status Inspect(const InspectFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.json, flags.out}));
  Inspection inspection;
  inspection.path = flags.model.files.model;
  ASSIGN_OR_RETURN(inspection.target, flags.model.FindTarget());
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ModelFiles files = flags.model.files;
  RETURN_IF_ERROR(ReadModule(files));
  ASSIGN_OR_RETURN(inspection.model, SummarizeModel(files));
  inspection.import = InspectCompiled(files, metafile, inspection);
  const std::string text = TextReport(inspection);
  if (inspection.import.ok() && !flags.out.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.out, text));
  } else {
    PrintText(text);
    std::fflush(stdout);  // before the error, if there is one
  }
  if (!flags.json.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.json, JsonReport(inspection)));
  }
  return inspection.import;
}

}  // namespace

void AddInspectCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<InspectFlags>();
  CommandLine inspect =
      app.AddCommand("inspect", "Report the contents of a model and its layers on a target");
  AddModelOptions(inspect, flags->model,
                  {.model = Takes::kPositional,
                   .meta = Takes::kOptional,
                   .target = Takes::kOptional,
                   .target_names = TargetNames});
  inspect.AddOption("--torchscript-reader", flags->model.files.reader,
                    "Program that reads TorchScript models; default: the one beside this");
  inspect.AddOption("--json", flags->json, "Also write it here, as JSON");
  inspect.AddOption("--out", flags->out,
                    "Write the report here instead of printing it, if the model can be imported");
  SetWork(inspect, flags, Inspect, chosen);
}

}  // namespace synap_internal
