#include "compiler/convert/programs/provenance_command.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/writable_files.h"

namespace synap_internal {
namespace {

struct ProvenanceFlags {
  std::string stage = "compile";
  std::vector<std::string> results, provenances;
  std::string model, weights, metafile, graph, info, target, imported, out;
  std::vector<std::string> data, samples, statistics;
  bool profiling = false;
  int self_test = 0;
  std::string picture_type, input;
  std::vector<int64_t> size;
  bool crop = false;
  std::string quantized, analysis;
  int max_samples = 16;
  std::optional<double> max_latency_ms, max_arena_kb, max_cpu_macs_percent, min_sqnr_db;
};

StageRecord ImportRecord(const ProvenanceFlags& flags) {
  return RecordOf(
      ImportedFiles{flags.model, flags.weights, flags.data, flags.metafile, flags.results[0]});
}

StageRecord QuantizeRecord(const ProvenanceFlags& flags) {
  return RecordOf(QuantizedFiles{flags.target, flags.graph, flags.metafile, flags.statistics,
                                 flags.samples, flags.results[0], flags.info});
}

StageRecord CompileRecord(const ProvenanceFlags& flags) {
  return RecordOf(CompiledFiles{flags.target, flags.profiling, flags.self_test, flags.imported,
                                flags.samples, flags.graph, flags.metafile, flags.results[0],
                                flags.info});
}

StageRecord PreprocessRecord(const ProvenanceFlags& flags) {
  return RecordOf(PreprocessingFiles{flags.target, flags.picture_type,
                                     absl::StrJoin(flags.size, "x"), flags.input, flags.crop,
                                     flags.model, flags.results[0], flags.info});
}

StageRecord AnalyzeRecord(const ProvenanceFlags& flags) {
  return RecordOf(AnalyzedFiles{flags.max_samples, flags.graph, flags.quantized, flags.metafile,
                                flags.samples, flags.results[0]});
}

StageRecord CheckRecord(const ProvenanceFlags& flags) {
  return RecordOf(CheckedFiles{flags.max_latency_ms, flags.max_arena_kb, flags.max_cpu_macs_percent,
                               flags.min_sqnr_db, flags.target, flags.model, flags.analysis,
                               flags.results[0]});
}

// Null for the stage whose result is of several shards.
using RecordOfFlags = StageRecord (*)(const ProvenanceFlags&);

const std::map<std::string, RecordOfFlags>& Stages() {
  static const auto* const stages = new std::map<std::string, RecordOfFlags>{
      {"import", ImportRecord},   {"calibrate", nullptr},           {"quantize", QuantizeRecord},
      {"compile", CompileRecord}, {"preprocess", PreprocessRecord}, {"analyze", AnalyzeRecord},
      {"check", CheckRecord}};
  return *stages;
}

absl::Status Check(const ProvenanceFlags& flags, const std::vector<std::string>& provenances) {
  const RecordOfFlags record = Stages().at(flags.stage);
  if (record == nullptr) {
    return CheckShards(provenances, {flags.graph, flags.metafile, flags.samples, flags.results});
  }
  if (provenances.size() != 1 || flags.results.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--stage ", flags.stage, ": ", flags.results.size(), " results and ", provenances.size(),
        " provenances, expected one of each; only calibrate has several"));
  }
  return CheckProvenance(provenances[0], record(flags), flags.results[0]);
}

absl::Status Run(const ProvenanceFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.out}));
  std::vector<std::string> provenances;
  for (const std::string& path : flags.provenances) {
    ASSIGN_OR_RETURN(provenances.emplace_back(), ReadFile(path));
  }
  RETURN_IF_ERROR(Check(flags, provenances));
  if (flags.out.empty()) return absl::OkStatus();
  return WriteFileAtomically(flags.out, absl::StrJoin(provenances, ""));
}

}  // namespace

void AddProvenanceCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ProvenanceFlags>();
  CommandLine command = app.AddCommand(
      "provenance", "Fail if the result of a stage isn't made of these files, with these options");
  command.SetGroup("Stages of a conversion");
  command
      .AddOption("result", flags->results, "What the stage wrote, first of all its --out or --json")
      .Required();
  command.AddOption("--stage", flags->stage, "The stage").OneOf(Stages()).ShowDefault();
  command
      .AddOption("--provenance", flags->provenances,
                 "What the stage's --provenance wrote, of each shard of a calibration")
      .Required();
  command.AddOption("--target", flags->target, "Name of the target, no alias");
  command.AddOption("--model", flags->model,
                    "Network model; of preprocess and check the .synap that they read");
  command.AddOption("--weights", flags->weights, "Weights of a Caffe network");
  command.AddOption("--data", flags->data, "What synap import --data named");
  command.AddOption("--graph", flags->graph, "Graph (.sir or .qsir)");
  command.AddOption("--stats", flags->statistics, "Statistics of each shard (.stats)");
  command.AddOption("--samples", flags->samples, "Samples that the stage read, [INPUT_INDEX=]PATH");
  command.AddOption("--meta", flags->metafile, "Metafile of the stage");
  command.AddOption("--info", flags->info, "What the stage's --info wrote");
  command.AddFlag("--profiling", flags->profiling, "It is compiled with --profiling");
  command.AddOption("--self-test", flags->self_test, "It is compiled with --self-test");
  command.AddOption("--imported", flags->imported, "It is compiled with --imported");
  command.AddOption("--type", flags->picture_type, "It is made with synap preprocess --type");
  command.AddOption("--size", flags->size, "It is made with synap preprocess --size").Expects(2);
  command.AddOption("--input", flags->input, "It is made with synap preprocess --input");
  command.AddFlag("--crop", flags->crop, "It is made with synap preprocess --crop");
  command.AddOption("--quantized", flags->quantized, "Quantized graph that was analyzed (.qsir)");
  command.AddOption("--max-samples", flags->max_samples, "It is analyzed with --max-samples")
      .ShowDefault();
  command.AddOption("--analysis", flags->analysis, "Figures that were checked");
  command.AddOption("--max-latency-ms", flags->max_latency_ms,
                    "It is checked with --max-latency-ms");
  command.AddOption("--max-arena-kb", flags->max_arena_kb, "It is checked with --max-arena-kb");
  command.AddOption("--max-cpu-macs-percent", flags->max_cpu_macs_percent,
                    "It is checked with --max-cpu-macs-percent");
  command.AddOption("--min-sqnr-db", flags->min_sqnr_db, "It is checked with --min-sqnr-db");
  command.AddOption("--out", flags->out, "Write the provenance here, if it is right");
  SetWork(command, flags, Run, chosen);
}

}  // namespace synap_internal
