// `synap analyze`: reports the error that quantization adds at each layer, and its reasons.
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/cache_limit.h"
#include "compiler/convert/cli/cached_stages.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/progress.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/convert/stages/analyze_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/graph/text.h"
#include "compiler/report/analysis_report.h"

namespace synap_internal {
namespace {

struct AnalyzeFlags {
  ModelOptions model;
  std::string out_dir, cache_size, graph, quantized, json, provenance;
  int top = 20;
  bool silent = false;
  AnalyzeOptions analyze;
};

struct GraphPair {
  Graph real, quantized;
};

absl::StatusOr<GraphPair> FromModel(const AnalyzeFlags& flags, const Metafile& metafile,
                                    ProgressLine& progress, Warnings& warnings) {
  CachedStagesOptions options;
  options.files = flags.model.files;
  if (!flags.out_dir.empty()) options.cache = JoinPath(flags.out_dir, "cache");
  ASSIGN_OR_RETURN(options.cache_bytes, CacheLimit(flags.cache_size));
  options.threads = flags.analyze.threads;
  ASSIGN_OR_RETURN(options.target, flags.model.FindTarget());
  CachedStages stages(metafile, options, progress, warnings);
  ASSIGN_OR_RETURN(const std::string sir, stages.ImportedGraph());
  ASSIGN_OR_RETURN(CalibratedNetwork network, stages.Calibrated(sir));
  ASSIGN_OR_RETURN(QuantizedModel quantized, stages.Quantized(network));
  return GraphPair{std::move(network.graph), std::move(quantized.graph)};
}

absl::StatusOr<GraphPair> FromFiles(const AnalyzeFlags& flags) {
  ASSIGN_OR_RETURN(Graph real, LoadGraph(flags.graph));
  ASSIGN_OR_RETURN(Graph quantized, LoadGraph(flags.quantized));
  return GraphPair{std::move(real), std::move(quantized)};
}

absl::Status CheckFlags(const AnalyzeFlags& flags) {
  const bool from_model = !flags.model.files.model.empty();
  const bool from_files = !flags.graph.empty() && !flags.quantized.empty();
  const bool any_file = !flags.graph.empty() || !flags.quantized.empty();
  if (from_model ? !any_file : from_files) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "expected either --model, or --graph (.sir) together with --quantized (.qsir)");
}

absl::Status Analyze(const AnalyzeFlags& flags) {
  RETURN_IF_ERROR(CheckFlags(flags));
  RETURN_IF_ERROR(CheckCanWrite({flags.json, flags.provenance}));
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  // Before the work. Where the samples are named and the graphs there, no metafile has to quantize.
  const bool from_model = !flags.model.files.model.empty();
  if (from_model || flags.analyze.samples.empty()) RETURN_IF_ERROR(CheckAnalyzable(metafile));
  ProgressLine progress(flags.silent);
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const GraphPair graphs,
                   from_model ? FromModel(flags, metafile, progress, warnings) : FromFiles(flags));
  AnalyzeOptions options = flags.analyze;
  options.progress = [&](int done, int total) { progress.Show("Analyzing...", done, total); };
  ASSIGN_OR_RETURN(const Analysis analysis,
                   AnalyzeStage(graphs.real, graphs.quantized, metafile, options));
  progress.Clear();
  const QuantizationSpec spec = metafile.quantization.value_or(QuantizationSpec());
  if (!flags.silent) PrintText(TextReport(analysis, spec, flags.top));
  if (flags.json.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(WriteFileAtomically(flags.json, JsonReport(analysis, spec)));
  return WriteProvenance(
      flags.provenance,
      RecordOf(AnalyzedFiles{flags.analyze.max_samples, flags.graph, flags.quantized,
                             flags.model.meta, flags.analyze.samples, flags.json}));
}

}  // namespace

void AddAnalyzeCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<AnalyzeFlags>();
  CommandLine analyze =
      app.AddCommand("analyze", "Report the error that quantization adds at each layer");
  AddModelOptions(analyze, flags->model,
                  {.model = Takes::kOptional,
                   .meta = Takes::kOptional,
                   .target = Takes::kOptional,
                   .target_names = TargetNames});
  analyze.AddOption("--out-dir", flags->out_dir,
                    "Folder of the model's conversion, whose cache is used");
  analyze.AddOption("--cache-size", flags->cache_size, kCacheSizeHelp);
  const Option graph =
      analyze.AddOption("--graph", flags->graph, "Instead of --model: the float graph (.sir)");
  analyze.AddOption("--quantized", flags->quantized,
                    "Instead of --model: the quantized graph (.qsir)");
  const Option samples = AddSamplesOption(analyze, flags->analyze.samples);
  analyze
      .AddOption("--max-samples", flags->analyze.max_samples, "The first so many samples; 0: all")
      .ShowDefault()
      .InRange(0, std::numeric_limits<int>::max());
  const Option json =
      analyze.AddOption("--json", flags->json, "Also write the figures here, as JSON");
  AddProvenanceOption(analyze, flags->provenance).Needs(json).Needs(graph).Needs(samples);
  analyze.AddOption("--top", flags->top, "Show so many layers; 0: all")
      .ShowDefault()
      .InRange(0, std::numeric_limits<int>::max());
  analyze.AddFlag("--silent", flags->silent, "Print nothing on success");
  AddThreadsOption(analyze, flags->analyze.threads);
  SetWork(analyze, flags, Analyze, chosen);
}

}  // namespace synap_internal
