#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/ir/text.h"
#include "compiler/programs/provenance.h"
#include "compiler/programs/stage_commands.h"
#include "compiler/programs/stage_flags.h"
#include "compiler/stages/stages.h"
#include "compiler/target/target.h"
#include "runtime/security/seal.h"

namespace synap_internal {
namespace {

struct CompileFlags : StageFlags {
  std::string graph, info, provenance;
  PassOptions passes;
  CompileOptions options;
};

absl::Status Compile(const CompileFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Target* target, flags.model.FindTarget());
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  RETURN_IF_ERROR(CheckTarget(metafile, *target));
  ASSIGN_OR_RETURN(const std::optional<SealKeys> keys, LoadKeys(metafile));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(CompiledModel model,
                   CompileStage(graph, metafile, *target, flags.passes, warnings, flags.options));
  if (keys.has_value()) RETURN_IF_ERROR(SealStage(*keys, model));
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_text));
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, model.synap));
  if (flags.provenance.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string provenance,
                   ProvenanceText({target->name, flags.options.profiling, flags.graph,
                                   flags.model.meta, flags.out, flags.info}));
  return WriteFileAtomically(flags.provenance, provenance);
}

}  // namespace

void AddCompileCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<CompileFlags>();
  CLI::App* command = AddStageCommand(app, "compile", "Compile a graph for a target (.synap)",
                                      {.target = Takes::kRequired}, Compile, flags,
                                      {&CompileFlags::info, &CompileFlags::provenance}, chosen);
  command->add_option("--graph", flags->graph, "Graph (.sir or .qsir)")->required();
  command->add_option("--info", flags->info, "Also write model_info.txt here");
  command->add_option("--provenance", flags->provenance,
                      "Also write here what the model is made of, for synap provenance");
  command->add_flag("--profiling", flags->options.profiling,
                    "The model measures its layers in each run, for network_profile");
  AddPassOptions(*command, flags->passes);
}

}  // namespace synap_internal
