// The graph that calibration and quantization begin with.
#ifndef COMPILER_CONVERT_STAGES_GRAPH_TO_QUANTIZE_H_
#define COMPILER_CONVERT_STAGES_GRAPH_TO_QUANTIZE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// The graph that calibration and quantization begin with: with the metafile's `mode: full`, a
// network that comes quantized as a float one, else `graph` itself. Importing doesn't decide about
// this: a network keeps its quantizers until it gets others. Errors name a pass; a caller adds the
// model's file, or the graph's name where there is none.
absl::StatusOr<Graph> GraphToQuantize(Graph graph, const Metafile& metafile,
                                      const PassOptions& passes);

// Runs the passes that equalize weights if the metafile's `quantization.options` ask for them.
absl::Status EqualizeIfAsked(const Metafile& metafile, const PassOptions& passes, Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_GRAPH_TO_QUANTIZE_H_
