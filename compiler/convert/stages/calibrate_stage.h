// Calibration: statistics of a float graph's tensors over samples.
#ifndef COMPILER_CONVERT_STAGES_CALIBRATE_STAGE_H_
#define COMPILER_CONVERT_STAGES_CALIBRATE_STAGE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/convert/stages/stage_progress.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/statistics/statistics.h"

namespace synap_internal {

struct CalibrateOptions {
  // These files instead of the metafile's dataset: "path" or "1=path" for input
  // 1; the i-th files of all inputs are a sample.
  std::vector<std::string> samples;
  std::vector<DatasetSample> dataset;  // or these, if there are any
  // Only the samples of shard `shard` of `shards` (dataset.h's ShardOf).
  int shard = 0;
  int shards = 1;
  int threads = 1;  // 0: one for each processor
  Progress progress;
  // Names of samples whose statistics CalibrateApart keeps apart.
  std::set<std::string> apart = {};
};

// The files of the shard's samples, of all inputs, sorted by the samples' order: "path", or
// "1=path" if the network has several inputs; none for random values. Those that `effort: fast`
// leaves out are among them. Errors as those of CalibrateStage.
absl::StatusOr<std::vector<std::string>> FilesOfShard(const Graph& graph, const Metafile& metafile,
                                                      const CalibrateOptions& options);

// Imported graph and the metafile's dataset -> statistics (.stats) of the float tensors of
// GraphToQuantize. Warns about the dataset. InvalidArgument if all of its layers have quantizers.
absl::StatusOr<Statistics> CalibrateStage(const Graph& graph, const Metafile& metafile,
                                          const CalibrateOptions& options, Warnings& warnings);

// Statistics that make those of CalibrateStage when they are merged.
struct ApartStatistics {
  Statistics others;
  Statistics apart;  // of CalibrateOptions::apart
};

// The same in two parts, in the same time: a network that is quantized without some samples can be
// measured by them.
absl::StatusOr<ApartStatistics> CalibrateApart(const Graph& graph, const Metafile& metafile,
                                               const CalibrateOptions& options, Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_CALIBRATE_STAGE_H_
