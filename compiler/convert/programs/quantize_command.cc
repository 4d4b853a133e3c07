#include "compiler/convert/programs/quantize_command.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/words.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

// Reads the values of --target.
using FindTargetFunction = absl::StatusOr<const Target*> (*)(const std::string& text);

struct QuantizeFlags : StageFlags {
  FindTargetFunction find_target = nullptr;
  std::string graph, info, entropy, explicit_meta, provenance;
  std::vector<std::string> stats, samples;
  QuantizeOptions options;
};

absl::StatusOr<std::vector<Statistics>> LoadStatistics(const std::vector<std::string>& paths) {
  std::vector<Statistics> statistics;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(Statistics shard, Statistics::Load(path));
    statistics.push_back(std::move(shard));
  }
  return statistics;
}

// Files that the metafile doesn't lead to.
absl::Status CheckAskedFor(const QuantizeFlags& flags, const QuantizedModel& model) {
  if (!flags.explicit_meta.empty() && !model.choice.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--explicit needs 'data_type: ", kAutoType, "' in the metafile"));
  }
  if (!flags.entropy.empty() && model.entropy_text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--entropy needs 'algorithm: ", Name(QuantizationAlgorithm::kKlDivergence),
                     "' in the metafile"));
  }
  return absl::OkStatus();
}

absl::Status Quantize(const QuantizeFlags& flags) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  ASSIGN_OR_RETURN(const std::vector<Statistics> statistics, LoadStatistics(flags.stats));
  QuantizeOptions options = flags.options;
  if (!flags.model.target.empty()) {
    ASSIGN_OR_RETURN(options.target, flags.find_target(flags.model.target));
  }
  if (metafile.quantization.has_value() && metafile.quantization->needs_samples()) {
    ASSIGN_OR_RETURN(Dataset dataset, ChooseSamples(graph, metafile, flags.samples));
    options.samples = std::move(dataset.samples);
  }
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const QuantizedModel model,
                   QuantizeStage(graph, statistics, metafile, options, warnings));
  RETURN_IF_ERROR(CheckAskedFor(flags, model));
  if (!flags.explicit_meta.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(
        flags.explicit_meta,
        ExplicitMetafile(metafile, *model.choice, FolderFrom(flags.explicit_meta, metafile.path))));
  }
  if (!flags.info.empty()) RETURN_IF_ERROR(WriteFileAtomically(flags.info, model.info_yaml));
  if (!flags.entropy.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.entropy, model.entropy_text));
  }
  RETURN_IF_ERROR(WriteFileAtomically(flags.out, GraphFile(model.graph)));
  if (flags.provenance.empty()) return absl::OkStatus();
  std::vector<std::string> samples = flags.samples;
  if (samples.empty() && metafile.quantized() && metafile.quantization->needs_samples()) {
    ASSIGN_OR_RETURN(samples, FilesOfShard(graph, metafile, {}));
  }
  const std::string target(options.target == nullptr ? "" : options.target->name);
  return WriteProvenance(flags.provenance,
                         RecordOf(QuantizedFiles{target, flags.graph, flags.model.meta, flags.stats,
                                                 samples, flags.out, flags.info}));
}

void AddCommand(CommandLine& app, FindTargetFunction find_target, std::string (*target_names)(),
                Command& chosen) {
  const auto flags = std::make_shared<QuantizeFlags>();
  flags->find_target = find_target;
  CommandLine command =
      AddStageCommand(app, "quantize", "Choose quantizers by statistics (.qsir)",
                      {.target = Takes::kOptional, .target_names = target_names}, Quantize, flags,
                      {&QuantizeFlags::info, &QuantizeFlags::entropy, &QuantizeFlags::explicit_meta,
                       &QuantizeFlags::provenance},
                      chosen);
  command.AddOption("--graph", flags->graph, "Graph (.sir)").Required();
  command.AddOption("--stats", flags->stats, "Statistics of each shard (.stats)").Required();
  AddSamplesOption(command, flags->samples);
  command.AddOption("--explicit", flags->explicit_meta,
                    absl::StrCat("For 'data_type: ", kAutoType,
                                 "': also write the metafile with the types here"));
  AddThreadsOption(command, flags->options.threads);
  command.AddOption("--info", flags->info, "Also write quantization_info.yaml here");
  AddProvenanceOption(command, flags->provenance);
  command.AddOption("--entropy", flags->entropy,
                    absl::StrCat("For 'algorithm: ", Name(QuantizationAlgorithm::kKlDivergence),
                                 "': also write quantization_entropy.txt here"));
}

}  // namespace

void AddQuantizeCommand(CommandLine& app, Command& chosen) {
  AddCommand(app, FindOrLoadTarget, TargetNames, chosen);
}

void AddQuantizeWithTargetFileCommand(CommandLine& app, Command& chosen) {
  AddCommand(app, LoadTarget, /*target_names=*/nullptr, chosen);
}

}  // namespace synap_internal
