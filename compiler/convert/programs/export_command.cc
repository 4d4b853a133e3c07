#include "compiler/convert/programs/export_command.h"

#include <memory>
#include <string>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/export/onnx/export_onnx.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct ExportFlags {
  std::string graph, out;
};

absl::Status Export(const ExportFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.out}));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  ASSIGN_OR_RETURN(const std::string model, Annotate(ExportOnnx(graph), flags.graph));
  return WriteFileAtomically(flags.out, model);
}

}  // namespace

void AddExportCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ExportFlags>();
  CommandLine command = app.AddCommand("export", "Write a graph as ONNX (.onnx)");
  command.SetGroup("Stages of a conversion");
  command.AddOption("--graph", flags->graph, "Graph (.sir or .qsir)").Required();
  command.AddOption("--out", flags->out, "File to write").Required();
  SetWork(command, flags, Export, chosen);
}

}  // namespace synap_internal
