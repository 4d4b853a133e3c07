// `synap passes`: runs compiler passes by name over a graph and prints the result.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/command_line.h"
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

void AddPassesCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<PassesFlags>();
  CLI::App* command =
      app.add_subcommand("passes", "Run compiler passes by name over a graph and print the result");
  command->group("Stages of a conversion");
  command->add_option("--graph", flags->graph, "Graph (.sir, .qsir, or its text)");
  command
      ->add_option("--run", flags->run, "Passes in the order to run them; see --list for the names")
      ->delimiter(',')
      ->type_name("PASS,...");
  command->add_option("--out", flags->out, "Write the graph (.sir) here instead of printing it");
  command->add_flag("--list", flags->list, "Print every pass, its stage and why it runs there");
  AddPassOptions(*command, flags->options);
  command->callback([flags, &chosen] { chosen = [flags] { return RunPassesCommand(*flags); }; });
}

}  // namespace synap_internal
