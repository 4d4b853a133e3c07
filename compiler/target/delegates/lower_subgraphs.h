// Lowers the subgraphs of a network to the parts of an artifact.
#ifndef COMPILER_TARGET_DELEGATES_LOWER_SUBGRAPHS_H_
#define COMPILER_TARGET_DELEGATES_LOWER_SUBGRAPHS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/graph/lower.h"
#include "compiler/target/delegates/split_graph.h"
#include "compiler/target/target.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

struct LoweredSubgraph {
  std::unique_ptr<LoweredProgram> lowered;
  std::string model;       // the serialized program
  ModelMetadata metadata;  // with its delegate
  Delegate delegate;
  std::vector<BundleEdge> sources;  // of its inputs
};

// The subgraph's program, which names the engines of the target that run its layers.
absl::StatusOr<std::unique_ptr<LoweredProgram>> PlacedProgram(const Subgraph& subgraph,
                                                              const Target& target);

// `metadata`: of the whole network's inputs and outputs, which those of the subgraphs keep; tensors
// between subgraphs have the names of the graph. `signed_bytes`: as in the programs. Errors name
// the subgraph that has no kernel for an op.
absl::StatusOr<std::vector<LoweredSubgraph>> LowerSubgraphs(const SplitNetwork& network,
                                                            const ModelMetadata& metadata,
                                                            const Target& target,
                                                            bool signed_bytes = false);

// The artifact of the subgraphs.
absl::StatusOr<std::string> WriteSubgraphs(absl::Span<const LoweredSubgraph> subgraphs,
                                           absl::Span<const BundleEdge> outputs);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_LOWER_SUBGRAPHS_H_
