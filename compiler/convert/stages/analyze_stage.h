// Analysis of the loss that quantization makes in each layer.
#ifndef COMPILER_CONVERT_STAGES_ANALYZE_STAGE_H_
#define COMPILER_CONVERT_STAGES_ANALYZE_STAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/convert/stages/stage_progress.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/analysis/analyze.h"

namespace synap_internal {

struct AnalyzeOptions {
  std::vector<std::string> samples;  // as CalibrateOptions::samples
  int max_samples = 16;              // number of samples, from the first on; 0: all
  int threads = 1;                   // 0: one for each processor
  Progress progress;
};

// InvalidArgument if the metafile doesn't quantize, so that it has no samples for an analysis.
absl::Status CheckAnalyzable(const Metafile& metafile);

// Imported graph and the quantized one made from it -> the loss of each layer that a device runs.
// InvalidArgument without a sample. With options.samples the metafile needn't quantize.
absl::StatusOr<Analysis> AnalyzeStage(const Graph& graph, const Graph& quantized,
                                      const Metafile& metafile, const AnalyzeOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_ANALYZE_STAGE_H_
