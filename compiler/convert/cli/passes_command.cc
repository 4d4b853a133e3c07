// `synap passes`: runs compiler passes by name over a graph and prints the result.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/named_passes.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct PassesFlags {
  std::string graph, out;
  std::vector<std::string> run;
  PassOptions options;
  bool list = false;
};

absl::Status RunPassesCommand(const PassesFlags& flags) {
  if (flags.list) {
    std::fputs(PassTable().c_str(), stdout);
    return absl::OkStatus();
  }
  if (flags.graph.empty()) {
    return absl::InvalidArgumentError("--graph is missing, expected a file with a graph");
  }
  ASSIGN_OR_RETURN(const Graph graph, RunNamedPasses(flags.graph, flags.run, flags.options));
  if (!flags.out.empty()) return WriteFileAtomically(flags.out, GraphFile(graph));
  std::fputs(PrintGraph(graph).c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddPassesCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<PassesFlags>();
  CommandLine command =
      app.AddCommand("passes", "Run compiler passes by name over a graph and print the result");
  command.SetGroup("Stages of a conversion");
  command.AddOption("--graph", flags->graph, "Graph (.sir, .qsir, or its text)");
  command
      .AddOption("--run", flags->run, "Passes in the order to run them; see --list for the names")
      .SeparatedBy(',')
      .TypeName("PASS,...");
  command.AddOption("--out", flags->out, "Write the graph (.sir) here instead of printing it");
  command.AddFlag("--list", flags->list, "Print every pass, its stage and why it runs there");
  AddPassOptions(command, flags->options);
  SetWork(command, flags, RunPassesCommand, chosen);
}

}  // namespace synap_internal
