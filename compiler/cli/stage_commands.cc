// Subcommands for the single stages of a conversion, for build systems and for debugging.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/command_line.h"
#include "compiler/cli/model_options.h"
#include "compiler/cli/result_folder.h"
#include "compiler/dataset/dataset.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/stages/stages.h"
#include "runtime/security/seal.h"

namespace synap_internal {
namespace {

struct StageFlags {
  ModelOptions model;
  std::string stage, graph, out, info, entropy, explicit_meta;
  std::vector<std::string> stats, samples;
  CalibrateOptions calibrate;
  PassOptions passes;
};

// The part of a metafile that each stage reads.
const std::map<std::string, std::string (*)(const Metafile&)>& StageParts() {
  static const auto* const parts =
      new std::map<std::string, std::string (*)(const Metafile&)>{{"import", ImportPart},
                                                                  {"calibrate", CalibratePart},
                                                                  {"quantize", QuantizePart},
                                                                  {"compile", CompilePart}};
  return *parts;
}

absl::Status MetaPart(const StageFlags& flags) {
  ASSIGN_OR_RETURN(Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  MoveSecurity(FolderFrom(flags.out, metafile.path), metafile.security);
  return WriteFileAtomically(flags.out, StageParts().at(flags.stage)(metafile));
}

absl::Status Import(const StageFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Graph graph,
                   ImportStage(flags.model.files, metafile, flags.passes, warnings));
  return WriteFileAtomically(flags.out, GraphFile(graph));
}

absl::Status Calibrate(const StageFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  CalibrateOptions options = flags.calibrate;
  options.samples = flags.samples;
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Statistics statistics, CalibrateStage(graph, metafile, options, warnings));
  return WriteFileAtomically(flags.out, statistics.Serialize());
}

absl::Status Quantize(const StageFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  std::vector<Statistics> statistics;
  for (const std::string& path : flags.stats) {
    ASSIGN_OR_RETURN(Statistics shard, Statistics::Load(path));
    statistics.push_back(std::move(shard));
  }
  QuantizeOptions options;
  options.samples = flags.samples;
  options.threads = flags.calibrate.threads;
  ASSIGN_OR_RETURN(options.target, flags.model.FindTarget());
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const QuantizedModel model,
                   QuantizeStage(graph, statistics, metafile, options, warnings));
  if (!flags.explicit_meta.empty() && !model.choice.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--explicit needs 'data_type: ", kAutoType, "' in the metafile"));
  }
  if (!flags.entropy.empty() && model.entropy_text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--entropy needs 'algorithm: ", Name(QuantizationAlgorithm::kKlDivergence),
                     "' in the metafile"));
  }
  if (!flags.explicit_meta.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(
        flags.explicit_meta, ExplicitMetafileAt(flags.explicit_meta, metafile, *model.choice)));
  }
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_yaml));
  if (!flags.entropy.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.entropy, model.entropy_text));
  }
  return WriteFileAtomically(flags.out, GraphFile(model.graph));
}

absl::Status Compile(const StageFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Target* target, flags.model.FindTarget());
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const std::optional<SealKeys> keys, LoadKeys(metafile));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(CompiledModel model,
                   CompileStage(graph, metafile, *target, flags.passes, warnings));
  if (keys.has_value()) RETURN_IF_ERROR(SealStage(*keys, model));
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_text));
  return WriteFileAtomically(flags.out, model.synap);
}

// Every stage takes a metafile; `taken` names the rest.
CLI::App* AddCommand(CLI::App& app, const char* name, const char* help, TakenOptions taken,
                     absl::Status (*run)(const StageFlags&),
                     const std::shared_ptr<StageFlags>& flags, Command& chosen) {
  CLI::App* command = app.add_subcommand(name, help);
  command->group("Stages of a conversion");
  command->callback([run, flags, &chosen] {
    chosen = [run, flags] {
      // Before the work, which may take an hour.
      RETURN_IF_ERROR(
          CheckCanWrite({flags->out, flags->info, flags->entropy, flags->explicit_meta}));
      return run(*flags);
    };
  });
  taken.meta = Takes::kOptional;
  AddModelOptions(*command, flags->model, taken);
  command->add_option("--out", flags->out, "File to write")->required();
  return command;
}

}  // namespace

void AddStageCommands(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<StageFlags>();
  CLI::App* part = AddCommand(app, "metapart", "Write the part of a metafile that a stage reads",
                              {}, MetaPart, flags, chosen);
  part->add_option("--stage", flags->stage, "A stage")
      ->required()
      ->check(CLI::IsMember(StageParts()));

  CLI::App* import = AddCommand(app, "import", "Read a model into a graph (.sir)",
                                {.model = Takes::kRequired}, Import, flags, chosen);
  import->add_option("--torchscript-reader", flags->model.files.reader,
                     "Program that reads TorchScript models; default: the one beside this");
  AddPassOptions(*import, flags->passes);

  CLI::App* calibrate = AddCommand(app, "calibrate", "Run samples through a graph (.stats)", {},
                                   Calibrate, flags, chosen);
  calibrate->add_option("--graph", flags->graph, "Graph (.sir)")->required();
  AddSamplesOption(*calibrate, flags->samples);
  calibrate->add_option("--shard", flags->calibrate.shard, "Only this shard of the samples");
  calibrate->add_option("--shards", flags->calibrate.shards, "Number of shards")
      ->check(CLI::Range(1, 1024));
  AddThreadsOption(*calibrate, flags->calibrate.threads);

  CLI::App* quantize = AddCommand(app, "quantize", "Choose quantizers by statistics (.qsir)",
                                  {.target = Takes::kOptional}, Quantize, flags, chosen);
  quantize->add_option("--graph", flags->graph, "Graph (.sir)")->required();
  quantize->add_option("--stats", flags->stats, "Statistics of each shard (.stats)")->required();
  AddSamplesOption(*quantize, flags->samples);
  quantize->add_option("--explicit", flags->explicit_meta,
                       absl::StrCat("For 'data_type: ", kAutoType,
                                    "': also write the metafile with the types here"));
  AddThreadsOption(*quantize, flags->calibrate.threads);
  quantize->add_option("--info", flags->info, "Also write quantization_info.yaml here");
  quantize->add_option("--entropy", flags->entropy,
                       absl::StrCat("For 'algorithm: ", Name(QuantizationAlgorithm::kKlDivergence),
                                    "': also write quantization_entropy.txt here"));

  CLI::App* compile = AddCommand(app, "compile", "Compile a graph for a target (.synap)",
                                 {.target = Takes::kRequired}, Compile, flags, chosen);
  compile->add_option("--graph", flags->graph, "Graph (.sir or .qsir)")->required();
  compile->add_option("--info", flags->info, "Also write model_info.txt here");
  AddPassOptions(*compile, flags->passes);
}

}  // namespace synap_internal
