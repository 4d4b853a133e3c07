#include "compiler/convert/programs/export_command.h"

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
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

void AddExportCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = app.add_subcommand("export", "Write a graph as ONNX (.onnx)");
  command->group("Stages of a conversion");
  command->add_option("--graph", flags->graph, "Graph (.sir or .qsir)")->required();
  command->add_option("--out", flags->out, "File to write")->required();
  command->callback([flags, &chosen] { chosen = [flags] { return Export(*flags); }; });
}

}  // namespace synap_internal
