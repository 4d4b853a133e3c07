#include <map>
#include <utility>

#include "base/status_macros.h"
#include "compiler/calibration/range_selection.h"
#include "compiler/package/model_info.h"
#include "compiler/package/quantization_entropy.h"
#include "compiler/quantization/layer_precision.h"
#include "compiler/quantization/quantize_graph.h"
#include "compiler/stages/stages.h"

namespace synap {

absl::StatusOr<QuantizedModel> QuantizeStage(const Graph& graph,
                                             absl::Span<const Statistics> statistics,
                                             const Metafile& metafile) {
  if (statistics.empty()) return absl::InvalidArgumentError("quantization needs statistics");
  Statistics merged = statistics[0];
  for (const Statistics& shard : statistics.subspan(1)) RETURN_IF_ERROR(merged.Merge(shard));
  if (merged.samples().empty()) {
    return absl::InvalidArgumentError("the statistics hold no sample: the dataset is empty");
  }
  const QuantizationSpec spec = metafile.quantization.value_or(QuantizationSpec{});
  QuantizedModel model{graph.Clone(), "", ""};
  ASSIGN_OR_RETURN(const LayerPrecisions precisions, ChoosePrecisions(metafile, model.graph));
  const auto choose = [&](int bits) {
    return precisions.Uses(bits) ? ChooseRanges(merged, spec.algorithm, spec.options, bits)
                                 : std::map<std::string, ValueRange>();
  };
  const RangesByBits ranges{choose(8), choose(16)};
  RETURN_IF_ERROR(QuantizeGraph(ranges, precisions, model.graph));
  model.info_yaml = QuantizationInfo(model.graph, precisions.base().type,
                                     precisions.base().bits() == 8 ? ranges.bits8 : ranges.bits16);
  if (spec.algorithm == QuantizationAlgorithm::kKlDivergence) {
    model.entropy_text = QuantizationEntropy(graph, merged);
  }
  return model;
}

}  // namespace synap
