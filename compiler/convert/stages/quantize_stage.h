// Quantization: graph and statistics to a quantized graph, the same for all targets unless times
// decide (data_type auto).
#ifndef COMPILER_CONVERT_STAGES_QUANTIZE_STAGE_H_
#define COMPILER_CONVERT_STAGES_QUANTIZE_STAGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/warnings.h"
#include "compiler/convert/stages/stage_progress.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/ranges/precision_policy.h"
#include "compiler/quantize/ranges/quantize_graph.h"
#include "compiler/quantize/search/choose_precisions.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/report/policy_report.h"
#include "compiler/target/target.h"

namespace synap_internal {

// How many samples, the first ones, correct biases and round weights: means converge after few.
inline constexpr size_t kSamplesToCorrectBy = 32;

// data_type auto, bias_correction and rounding by samples, which effort best has, run samples,
// since statistics alone don't suffice.
struct QuantizeOptions {
  std::vector<DatasetSample> samples;
  // The target whose estimates decide about data_type auto, which needs one.
  const Target* target = nullptr;
  int threads = 1;             // 0: one for each processor
  Progress progress;           // of data_type auto
  Progress rounding_progress;  // of rounding by samples, after each layer
};

struct QuantizedModel {
  Graph graph;            // .qsir
  std::string info_yaml;  // quantization_info.yaml
  std::string
      entropy_text;  // quantization_entropy.txt; empty unless the algorithm is kl_divergence
  std::optional<PrecisionChoice> choice;  // there if the data_type is auto
  // What the precision policy changed, of the measures in `optimize`.
  std::vector<PrecisionMeasure> measures;
  RangesByBits ranges;  // that the algorithm chose, for PriceMeasures
};

// Imported graph and the merged statistics of all shards -> quantized graph. Layers with quantizers
// of the model keep them (compiler/quantize/ranges/own_quantizers.h), which a note says.
// `metafile`: the stage's part is enough (compiler/metafile/stage_parts.h), its dataset isn't read.
// InvalidArgument naming the option if the metafile needs samples or a target that isn't given.
absl::StatusOr<QuantizedModel> QuantizeStage(const Graph& graph,
                                             absl::Span<const Statistics> statistics,
                                             const Metafile& metafile,
                                             const QuantizeOptions& options, Warnings& warnings);

// The measures of `model`, each with its price on `target`: the network is quantized again without
// it. The graph, its statistics and the metafile are those that QuantizeStage made `model` of.
absl::StatusOr<std::vector<PricedMeasure>> PriceMeasures(const Graph& graph,
                                                         const Statistics& statistics,
                                                         const Metafile& metafile,
                                                         const QuantizedModel& model,
                                                         const Target& target);

// `metafile` for another place: `folder` leads from there to that of the metafile, and relative
// paths begin with it.
Metafile MovedMetafile(Metafile metafile, const std::string& folder);

// `metafile` with rules instead of auto, the same network without a search; moved as MovedMetafile
// does it.
std::string ExplicitMetafile(const Metafile& metafile, const PrecisionChoice& choice,
                             const std::string& folder);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_QUANTIZE_STAGE_H_
