// The stages one by one, for build systems and for debugging.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/command_line.h"
#include "compiler/cli/result_folder.h"
#include "compiler/dataset/dataset.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

struct StageFlags {
  ModelFiles files;
  std::string stage, graph, meta, target, out, info, entropy, explicit_meta;
  std::vector<std::string> stats, samples;
  CalibrateOptions calibrate;
  PassOptions passes;
};

absl::Status MetaPart(const StageFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadSupportedMetafile(flags.meta));
  std::string part;
  if (flags.stage == "import") part = ImportPart(metafile);
  if (flags.stage == "calibrate") part = CalibratePart(metafile);
  if (flags.stage == "quantize") part = QuantizePart(metafile);
  if (flags.stage == "compile") part = CompilePart(metafile);
  return WriteFileAtomically(flags.out, part);
}

absl::Status Import(const StageFlags& flags) {
  RETURN_IF_ERROR(CheckPassOptions(flags.passes));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadSupportedMetafile(flags.meta));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Graph graph, ImportStage(flags.files, metafile, flags.passes, warnings));
  return WriteFileAtomically(flags.out, GraphFile(graph));
}

absl::Status Calibrate(const StageFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadSupportedMetafile(flags.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  CalibrateOptions options = flags.calibrate;
  options.samples = flags.samples;
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Statistics statistics, CalibrateStage(graph, metafile, options, warnings));
  return WriteFileAtomically(flags.out, statistics.Serialize());
}

absl::Status Quantize(const StageFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadSupportedMetafile(flags.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  std::vector<Statistics> statistics;
  for (const std::string& path : flags.stats) {
    ASSIGN_OR_RETURN(Statistics shard, Statistics::Load(path));
    statistics.push_back(std::move(shard));
  }
  QuantizeOptions options;
  options.samples = flags.samples;
  options.threads = flags.calibrate.threads;
  if (!flags.target.empty()) {
    ASSIGN_OR_RETURN(options.target, FindTarget(flags.target));
  }
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const QuantizedModel model,
                   QuantizeStage(graph, statistics, metafile, options, warnings));
  if (!flags.explicit_meta.empty() && !model.choice.has_value()) {
    return absl::InvalidArgumentError("--explicit needs 'data_type: auto' in the metafile");
  }
  if (!flags.entropy.empty() && model.entropy_text.empty()) {
    return absl::InvalidArgumentError("--entropy needs algorithm kl_divergence in the metafile");
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
  ASSIGN_OR_RETURN(const Target* target, FindTarget(flags.target));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadSupportedMetafile(flags.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const CompiledModel model,
                   CompileStage(graph, metafile, *target, flags.passes, warnings));
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_text));
  return WriteFileAtomically(flags.out, model.synap);
}

CLI::App* AddCommand(CLI::App& app, const char* name, const char* help,
                     absl::Status (*run)(const StageFlags&),
                     const std::shared_ptr<StageFlags>& flags, Command& chosen) {
  CLI::App* command = app.add_subcommand(name, help);
  command->group("Stages of a conversion");
  command->callback([run, flags, &chosen] {
    chosen = [run, flags] {
      // Not after an hour of work.
      RETURN_IF_ERROR(
          CheckCanWrite({flags->out, flags->info, flags->entropy, flags->explicit_meta}));
      return run(*flags);
    };
  });
  command->add_option("--meta", flags->meta, "Conversion metafile");
  command->add_option("--out", flags->out, "File to write")->required();
  return command;
}

}  // namespace

void AddStageCommands(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<StageFlags>();
  CLI::App* part = AddCommand(app, "metapart", "Write the part of a metafile that a stage reads",
                              MetaPart, flags, chosen);
  part->add_option("--stage", flags->stage, "import, calibrate, quantize or compile")
      ->required()
      ->check(CLI::IsMember({"import", "calibrate", "quantize", "compile"}));

  CLI::App* import =
      AddCommand(app, "import", "Read a model into a graph (.sir)", Import, flags, chosen);
  import->add_option("--model", flags->files.model, "Model file")->required();
  import->add_option("--weights", flags->files.weights, "Weights file (Caffe)");
  import->add_option("--torchscript-reader", flags->files.reader,
                     "Program that reads TorchScript models; default: the one beside this");
  AddPassOptions(*import, flags->passes);

  CLI::App* calibrate = AddCommand(app, "calibrate", "Run samples through a graph (.stats)",
                                   Calibrate, flags, chosen);
  calibrate->add_option("--graph", flags->graph, "Graph (.sir)")->required();
  calibrate->add_option("--samples", flags->samples,
                        "Sample files, [INPUT_INDEX=]PATH; default: the metafile's dataset");
  calibrate->add_option("--shard", flags->calibrate.shard, "Only this shard of the samples");
  calibrate->add_option("--shards", flags->calibrate.shards, "Number of shards")
      ->check(CLI::Range(1, 1024));
  calibrate->add_option("--threads", flags->calibrate.threads, "0: one for each processor")
      ->check(CLI::Range(0, 1024));

  CLI::App* quantize = AddCommand(app, "quantize", "Choose quantizers by statistics (.qsir)",
                                  Quantize, flags, chosen);
  quantize->add_option("--graph", flags->graph, "Graph (.sir)")->required();
  quantize->add_option("--stats", flags->stats, "Statistics of each shard (.stats)")->required();
  quantize->add_option("--samples", flags->samples,
                       "For 'data_type: auto', 'bias_correction' and 'rounding': sample files, "
                       "[INPUT_INDEX=]PATH; default: the metafile's dataset");
  quantize->add_option("--target", flags->target,
                       "For 'data_type: auto': the target whose estimates count");
  quantize->add_option("--explicit", flags->explicit_meta,
                       "For 'data_type: auto': also write the metafile with the chosen types here");
  quantize->add_option("--threads", flags->calibrate.threads, "0: one for each processor")
      ->check(CLI::Range(0, 1024));
  quantize->add_option("--info", flags->info, "Also write quantization_info.yaml here");
  quantize->add_option("--entropy", flags->entropy,
                       "Also write quantization_entropy.txt here (kl_divergence only)");

  CLI::App* compile =
      AddCommand(app, "compile", "Compile a graph for a target (.synap)", Compile, flags, chosen);
  compile->add_option("--graph", flags->graph, "Graph (.sir or .qsir)")->required();
  compile->add_option("--target", flags->target, "Target SoC")->required();
  compile->add_option("--info", flags->info, "Also write model_info.txt here");
  AddPassOptions(*compile, flags->passes);
}

}  // namespace synap_internal
