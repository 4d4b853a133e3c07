#include "compiler/convert/stages/graph_to_quantize.h"

#include "base/status_macros.h"

namespace synap_internal {

absl::Status EqualizeIfAsked(const Metafile& metafile, const PassOptions& passes, Graph& graph) {
  const bool asked = metafile.quantization.has_value() && metafile.quantization->options.equalize;
  return asked ? RunPasses(PassesOf(PassStage::kEqualize), passes, graph) : absl::OkStatus();
}

absl::StatusOr<Graph> GraphToQuantize(Graph graph, const Metafile& metafile,
                                      const PassOptions& passes) {
  const bool full =
      metafile.quantization.has_value() && metafile.quantization->mode == QuantizationMode::kFull;
  if (!full || !IsQuantized(graph)) return graph;
  for (const PassStage stage : {PassStage::kRestore, PassStage::kImport}) {
    RETURN_IF_ERROR(RunPasses(PassesOf(stage), passes, graph));
  }
  graph.own_quantizers = false;
  RETURN_IF_ERROR(EqualizeIfAsked(metafile, passes, graph));
  return graph;
}

}  // namespace synap_internal
