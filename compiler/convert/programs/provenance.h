// Provenance of a stage's result: the stage's options, and the SHA-256 of the files that it read
// and wrote.
//
// A build writes it beside the result and compares it with its own files: a shared cache that gives
// another action's result is noticed.
#ifndef COMPILER_CONVERT_PROGRAMS_PROVENANCE_H_
#define COMPILER_CONVERT_PROGRAMS_PROVENANCE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace synap_internal {

// Names and values, or names and paths, in a fixed order. No paths, or an empty one: the stage has
// no such file.
struct StageRecord {
  std::string stage;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::pair<std::string, std::vector<std::string>>> files;
};

// The records of the stages. A sample is "path", or "1=path" for input 1.

struct ImportedFiles {
  std::string model, weights;     // paths; "" without one
  std::vector<std::string> data;  // paths of what importing may read beside the model
  std::string metafile;           // path; "" without one, as in all of these
  std::string graph;              // path: .sir
};
StageRecord RecordOf(const ImportedFiles& files);

struct CalibratedFiles {
  std::string graph, metafile;
  std::vector<std::string> samples;
  std::vector<std::string> statistics;  // paths: .stats, of one shard or of all
};
StageRecord RecordOf(const CalibratedFiles& files);

struct QuantizedFiles {
  std::string target;  // its name; "" without one
  std::string graph, metafile;
  std::vector<std::string> statistics, samples;
  std::string quantized;  // path: .qsir
  std::string info;       // path: quantization_info.yaml; "" without one
};
StageRecord RecordOf(const QuantizedFiles& files);

struct CompiledFiles {
  std::string target;  // its name
  bool profiling = false;
  int self_test = 0;                 // number of samples
  std::string imported;              // path, for a self-test; "" if it is `graph`
  std::vector<std::string> samples;  // of the self-test
  std::string graph;                 // path: .sir or .qsir
  std::string metafile;
  std::string model;  // path: .synap
  std::string info;   // path: model_info.txt; "" without one
};
StageRecord RecordOf(const CompiledFiles& files);

struct PreprocessingFiles {
  std::string target;             // its name
  std::string type, size, input;  // as the command line has them; "" without one
  bool crop = false;
  std::string network;  // path: .synap of the other model
  std::string model;    // path: .synap
  std::string info;     // path: model_info.txt; "" without one
};
StageRecord RecordOf(const PreprocessingFiles& files);

struct AnalyzedFiles {
  int max_samples = 0;  // so many of them are run; 0: all
  std::string graph, quantized, metafile;
  std::vector<std::string> samples;
  std::string analysis;  // path: .json
};
StageRecord RecordOf(const AnalyzedFiles& files);

struct CheckedFiles {
  // Limits of the budget, as compiler/report/budget.h has them.
  std::optional<double> max_latency_ms, max_arena_kb, max_cpu_macs_percent, min_sqnr_db;
  std::string target;    // its name; "" for that of the model
  std::string model;     // path: .synap
  std::string analysis;  // path: .json
  std::string figures;   // path: what is written of a kept budget
};
StageRecord RecordOf(const CheckedFiles& files);

// A line for each option and file, which ends with a newline. Errors name the file.
absl::StatusOr<std::string> ProvenanceText(const StageRecord& record);

// FailedPrecondition naming the file `result` and each field that differs, unless `provenance` is
// ProvenanceText of the record.
absl::Status CheckProvenance(const std::string& provenance, const StageRecord& record,
                             const std::string& result);

// The same for a calibration: `provenances` are those of its shards, `files` has all samples and
// statistics. Which shard a sample is of doesn't matter, since the shards' statistics are merged.
absl::Status CheckShards(absl::Span<const std::string> provenances, const CalibratedFiles& files);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_PROVENANCE_H_
