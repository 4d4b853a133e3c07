#include "compiler/convert/programs/provenance_command.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
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

void AddProvenanceCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ProvenanceFlags>();
  CLI::App* command = app.add_subcommand(
      "provenance", "Fail if the result of a stage isn't made of these files, with these options");
  command->group("Stages of a conversion");
  command
      ->add_option("result", flags->results,
                   "What the stage wrote, first of all its --out or --json")
      ->required();
  command->add_option("--stage", flags->stage, "The stage")
      ->check(CLI::IsMember(Stages()))
      ->capture_default_str();
  command
      ->add_option("--provenance", flags->provenances,
                   "What the stage's --provenance wrote, of each shard of a calibration")
      ->required();
  command->add_option("--target", flags->target, "Name of the target, no alias");
  command->add_option("--model", flags->model,
                      "Network model; of preprocess and check the .synap that they read");
  command->add_option("--weights", flags->weights, "Weights of a Caffe network");
  command->add_option("--data", flags->data, "What synap import --data named");
  command->add_option("--graph", flags->graph, "Graph (.sir or .qsir)");
  command->add_option("--stats", flags->statistics, "Statistics of each shard (.stats)");
  command->add_option("--samples", flags->samples,
                      "Samples that the stage read, [INPUT_INDEX=]PATH");
  command->add_option("--meta", flags->metafile, "Metafile of the stage");
  command->add_option("--info", flags->info, "What the stage's --info wrote");
  command->add_flag("--profiling", flags->profiling, "It is compiled with --profiling");
  command->add_option("--self-test", flags->self_test, "It is compiled with --self-test");
  command->add_option("--imported", flags->imported, "It is compiled with --imported");
  command->add_option("--type", flags->picture_type, "It is made with synap preprocess --type");
  command->add_option("--size", flags->size, "It is made with synap preprocess --size")
      ->expected(2);
  command->add_option("--input", flags->input, "It is made with synap preprocess --input");
  command->add_flag("--crop", flags->crop, "It is made with synap preprocess --crop");
  command->add_option("--quantized", flags->quantized, "Quantized graph that was analyzed (.qsir)");
  command->add_option("--max-samples", flags->max_samples, "It is analyzed with --max-samples")
      ->capture_default_str();
  command->add_option("--analysis", flags->analysis, "Figures that were checked");
  command->add_option("--max-latency-ms", flags->max_latency_ms,
                      "It is checked with --max-latency-ms");
  command->add_option("--max-arena-kb", flags->max_arena_kb, "It is checked with --max-arena-kb");
  command->add_option("--max-cpu-macs-percent", flags->max_cpu_macs_percent,
                      "It is checked with --max-cpu-macs-percent");
  command->add_option("--min-sqnr-db", flags->min_sqnr_db, "It is checked with --min-sqnr-db");
  command->add_option("--out", flags->out, "Write the provenance here, if it is right");
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace synap_internal
