#include <memory>
#include <string>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/ir/text.h"
#include "compiler/programs/stage_commands.h"
#include "compiler/programs/stage_flags.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

struct CalibrateFlags : StageFlags {
  std::string graph;
  CalibrateOptions options;
};

absl::Status Calibrate(const CalibrateFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Statistics statistics,
                   CalibrateStage(graph, metafile, flags.options, warnings));
  return WriteFileAtomically(flags.out, statistics.Serialize());
}

}  // namespace

void AddCalibrateCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<CalibrateFlags>();
  CLI::App* command = AddStageCommand(app, "calibrate", "Run samples through a graph (.stats)", {},
                                      Calibrate, flags, {}, chosen);
  command->add_option("--graph", flags->graph, "Graph (.sir)")->required();
  AddSamplesOption(*command, flags->options.samples);
  command->add_option("--shard", flags->options.shard, "Only this shard of the samples");
  command->add_option("--shards", flags->options.shards, "Number of shards")
      ->check(CLI::Range(1, 1024));
  AddThreadsOption(*command, flags->options.threads);
}

}  // namespace synap_internal
