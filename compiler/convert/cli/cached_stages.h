// Import, calibration and quantization of one model, with a cache of their results.
#ifndef COMPILER_CONVERT_CLI_CACHED_STAGES_H_
#define COMPILER_CONVERT_CLI_CACHED_STAGES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/convert/cli/cache_limit.h"
#include "compiler/convert/cli/metafile_places.h"
#include "compiler/convert/cli/progress.h"
#include "compiler/convert/cli/stage_cache.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/measure_loss.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/model_files.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/report/policy_report.h"
#include "compiler/target/target.h"
#include "runtime/security/key_files.h"

namespace synap_internal {

struct CachedStagesOptions {
  ModelFiles files;
  std::string cache;                          // a folder; "": nothing is kept
  uint64_t cache_bytes = kDefaultCacheBytes;  // at most; 0: nothing is kept
  int threads = 0;                            // 0: one for each processor
  // Encrypts what is kept; it must outlive the stages. Null: nothing is kept of a secure model, and
  // others are in clear.
  const EncryptionKey* encryption = nullptr;
  const Target* target = nullptr;  // as QuantizeOptions::target, and for prices
  bool verbose = false;
  PassOptions passes;
};

// What quantization reads of a network and its dataset.
struct CalibratedNetwork {
  Graph graph;  // of ImportedGraph
  Statistics statistics;
  std::vector<DatasetSample> samples;
  std::vector<DatasetSample> held_out;  // some of them, to measure by (ChooseHeldOut)
  Statistics without_held_out;
  std::vector<std::string> key;  // of all of it in the cache, large parts as their digest
};

// Import and quantization of one model. The same cache makes the same results, with the same
// warnings, the second time without computing them.
class CachedStages {
 public:
  // `progress` and `warnings`, which gets those of all stages, must outlive this.
  CachedStages(const Metafile& metafile, CachedStagesOptions options, ProgressLine& progress,
               Warnings& warnings);

  // The bytes of the .sir; with a dataset, of GraphToQuantize.
  absl::StatusOr<std::string> ImportedGraph();
  // With the metafile's dataset. `sir`: the result of ImportedGraph.
  absl::StatusOr<CalibratedNetwork> Calibrated(const std::string& sir);
  absl::StatusOr<QuantizedModel> Quantized(const CalibratedNetwork& network);
  // PriceMeasures on the options' target. `model`: the result of Quantized.
  absl::StatusOr<std::vector<PricedMeasure>> Priced(const CalibratedNetwork& network,
                                                    const QuantizedModel& model) const;

  // The loss of `quantized`, a graph that Quantized made, by SamplesToMeasure of the dataset's
  // samples. `model`: compiled of it as the metafile says for the options' target. With samples
  // held out, that of the same network quantized without them, unless quantizing runs samples,
  // which would take as long again.
  absl::StatusOr<ModelLoss> Loss(const CalibratedNetwork& network, const Graph& quantized,
                                 const CompiledModel& model);

  // The lines that `verbose` prints, one for each stage so far.
  const std::string& log() const { return log_; }

  // The graph of a .sir's or .qsir's bytes.
  static absl::StatusOr<Graph> Parse(const std::string& file);

 private:
  absl::StatusOr<ModelLoss> MeasuredLoss(const CalibratedNetwork& network, const Graph& quantized,
                                         const CompiledModel& model,
                                         const std::vector<DatasetSample>& samples, bool held_out);
  void Log(absl::string_view text);
  absl::StatusOr<std::string> Cached(absl::string_view stage, const std::vector<std::string>& key,
                                     const std::function<absl::StatusOr<std::string>()>& compute);
  absl::StatusOr<std::vector<std::string>> ImportKey() const;

  // What each stage gets of the metafile; `whole_` for the loss.
  const StagePart import_, calibrate_, quantize_, whole_;
  const CachedStagesOptions options_;
  const MetafilePlaces places_;
  std::optional<StageCache> cache_;  // nothing is kept without
  ProgressLine& progress_;
  Warnings& warnings_;
  std::string log_;
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_CACHED_STAGES_H_
