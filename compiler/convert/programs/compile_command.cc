#include "compiler/convert/programs/compile_command.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/nb_format.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/convert/stages/check_target.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/convert/stages/seal_stage.h"
#include "compiler/convert/stages/self_test_stage.h"
#include "compiler/graph/text.h"
#include "compiler/target/target.h"
#include "runtime/security/seal.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kWithoutNb = "leave it out";

struct CompileFlags : StageFlags {
  std::string graph, info, provenance, imported, nb, nb_metadata;
  PassOptions passes;
  CompileOptions options;
  SelfTestOptions self_test{.cases = 0};
};

// The graph whose inputs take the samples, as in a conversion.
absl::StatusOr<Graph> GraphOfSamples(const CompileFlags& flags, const Graph& compiled,
                                     const Metafile& metafile) {
  if (flags.imported.empty()) return compiled.Clone();
  ASSIGN_OR_RETURN(Graph imported, LoadGraph(flags.imported));
  if (!metafile.quantized()) return imported;
  return Annotate(GraphToQuantize(std::move(imported), metafile, {}), flags.imported);
}

// The model with its self-test. `graph`: what it was compiled from.
absl::StatusOr<std::string> WithSelfTest(const CompileFlags& flags, const Graph& graph,
                                         Metafile metafile, const std::string& synap) {
  SelfTestOptions options = flags.self_test;
  options.layers = flags.options.profiling;
  ASSIGN_OR_RETURN(const Graph samples, GraphOfSamples(flags, graph, metafile));
  // Files are those of the options; the metafile's may be somewhere else.
  if (metafile.quantization.has_value()) metafile.quantization->dataset.clear();
  return SelfTestStage(synap, samples, metafile, options);
}

absl::Status Compile(const CompileFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Target* target, flags.model.FindTarget());
  if (!flags.nb.empty()) RETURN_IF_ERROR(CheckTargetRunsNb(*target, "--nb", kWithoutNb));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  RETURN_IF_ERROR(CheckTarget(metafile, *target));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const std::optional<SealKeys> keys, LoadKeys(metafile, warnings));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  ASSIGN_OR_RETURN(CompiledModel model,
                   CompileStage(graph, metafile, *target, flags.passes, warnings, flags.options));
  if (!flags.nb.empty()) RETURN_IF_ERROR(CheckIsOneProgram(model, "--nb", kWithoutNb));
  if (flags.self_test.cases > 0) {
    ASSIGN_OR_RETURN(model.synap, WithSelfTest(flags, graph, metafile, model.synap));
  }
  if (keys.has_value()) RETURN_IF_ERROR(SealStage(*keys, model));
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_text));
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, model.synap));
  if (!flags.nb.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.nb, model.program));
    RETURN_IF_ERROR(WriteFileAtomically(flags.nb_metadata, model.metadata));
  }
  return WriteProvenance(
      flags.provenance,
      RecordOf(CompiledFiles{std::string(target->name), flags.options.profiling,
                             flags.self_test.cases, flags.imported, flags.self_test.samples,
                             flags.graph, flags.model.meta, flags.out, flags.info}));
}

}  // namespace

void AddCompileCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<CompileFlags>();
  CommandLine command =
      AddStageCommand(app, "compile", "Compile a graph for a target (.synap)",
                      {.target = Takes::kRequired, .target_names = TargetNames}, Compile, flags,
                      {&CompileFlags::info, &CompileFlags::provenance, &CompileFlags::nb,
                       &CompileFlags::nb_metadata},
                      chosen);
  command.AddOption("--graph", flags->graph, "Graph (.sir or .qsir)").Required();
  command.AddOption("--info", flags->info, "Also write model_info.txt here");
  const Option nb =
      command.AddOption("--nb", flags->nb, "Also write model.nb here, as --out-format nb does");
  const Option nb_metadata =
      command.AddOption("--nb-metadata", flags->nb_metadata, "The model.json of --nb");
  nb.Needs(nb_metadata);
  nb_metadata.Needs(nb);
  AddProvenanceOption(command, flags->provenance);
  command.AddFlag("--profiling", flags->options.profiling,
                  "The model measures its layers in each run, for network_profile; the "
                  "self-test records every layer");
  const Option self_test =
      command
          .AddOption("--self-test", flags->self_test.cases,
                     "Embed so many samples and the digests of their outputs, for synap verify")
          .InRange(0, 1024)
          .ShowDefault();
  command
      .AddOption("--imported", flags->imported,
                 "For --self-test: the graph before quantization (.sir); default: --graph")
      .Needs(self_test);
  command
      .AddOption("--samples", flags->self_test.samples,
                 "For --self-test: sample files, [INPUT_INDEX=]PATH; default: random values")
      .Needs(self_test);
  AddPassOptions(command, flags->passes);
}

}  // namespace synap_internal
