#include "compiler/convert/programs/calibrate_command.h"

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct CalibrateFlags : StageFlags {
  std::string graph, provenance;
  CalibrateOptions options;
};

absl::Status Calibrate(const CalibrateFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Statistics statistics,
                   CalibrateStage(graph, metafile, flags.options, warnings));
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, statistics.Serialize()));
  if (flags.provenance.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> samples,
                   FilesOfShard(graph, metafile, flags.options));
  return WriteProvenance(
      flags.provenance,
      RecordOf(CalibratedFiles{flags.graph, flags.model.meta, samples, {flags.out}}));
}

}  // namespace

void AddCalibrateCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<CalibrateFlags>();
  CommandLine command =
      AddStageCommand(app, "calibrate", "Run samples through a graph (.stats)", {}, Calibrate,
                      flags, {&CalibrateFlags::provenance}, chosen);
  command.AddOption("--graph", flags->graph, "Graph (.sir)").Required();
  AddSamplesOption(command, flags->options.samples);
  command.AddOption("--shard", flags->options.shard, "Only this shard of the samples");
  command.AddOption("--shards", flags->options.shards, "Number of shards").InRange(1, 1024);
  AddThreadsOption(command, flags->options.threads);
  AddProvenanceOption(command, flags->provenance);
}

}  // namespace synap_internal
