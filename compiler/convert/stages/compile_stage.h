// Compilation: graph to an artifact for a target.
#ifndef COMPILER_CONVERT_STAGES_COMPILE_STAGE_H_
#define COMPILER_CONVERT_STAGES_COMPILE_STAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"

namespace synap_internal {

// The layers that a device runs: the graph (float or quantized) with the metafile's float32
// outputs, after the compile passes. What ends in such an output is float32 if the metafile's
// `optimize` has float_ends.
absl::StatusOr<Graph> CompiledGraph(const Graph& graph, const Metafile& metafile,
                                    const PassOptions& passes);

// The same for a target, where those ends may have 16 bits instead: if the network's estimated time
// is at least 1 % less. The loss is as good as the same.
absl::StatusOr<Graph> CompiledGraphFor(const Target& target, const Graph& graph,
                                       const Metafile& metafile, const PassOptions& passes);

struct CompileOptions {
  bool profiling = false;  // the artifact's networks measure their layers without being asked to
};

struct CompiledModel {
  std::string synap;      // model.synap
  size_t subgraphs = 0;   // in it
  std::string program;    // model.nb of --out-format nb; empty unless there is one subgraph
  std::string metadata;   // model.json of --out-format nb; likewise. A secure one has no checksums
  std::string info_text;  // model_info.txt
  LatencyEstimate latency;
};

// Graph (float or quantized) -> artifact for a target, with a subgraph for each run of layers of
// one delegate (compiler/target/delegates), and images in the metafile's `data_layout`. Notes each
// layer that moves to the CPU. The artifact of a secure model is marked as such and isn't sealed
// yet: no runtime loads it. ${ANCHORS} of a graph without anchors becomes [], with a warning.
// InvalidArgument for a format that is above 16 MiB with its anchors.
absl::StatusOr<CompiledModel> CompileStage(const Graph& graph, const Metafile& metafile,
                                           const Target& target, const PassOptions& passes,
                                           Warnings& warnings, const CompileOptions& options = {});

// Sentences about the reading of pictures at each input of a compiled graph that the metafile
// doesn't normalize: the pixels' values, and a classifier's letterbox.
absl::StatusOr<std::vector<std::string>> PictureNotes(const Graph& compiled,
                                                      const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_COMPILE_STAGE_H_
