#include "compiler/target/delegates/lower_subgraphs.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/target/delegates/target_delegates.h"
#include "compiler/target/placement.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// A tensor that only subgraphs see.
TensorMetadata InnerTensor(const Tensor& tensor) {
  TensorMetadata metadata;
  metadata.name = tensor.name;
  metadata.scalar = tensor.type.shape.rank() == 0;
  metadata.shape = metadata.scalar ? Shape({1}) : tensor.type.shape;
  metadata.dtype = tensor.type.dtype;
  metadata.quant = tensor.type.quant;
  return metadata;
}

ModelMetadata MetadataOf(const Subgraph& subgraph, const ModelMetadata& network) {
  ModelMetadata metadata;
  metadata.secure = network.secure;
  metadata.profiling = network.profiling;
  metadata.delegate = subgraph.delegate.Text();
  for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
    const BundleEdge& edge = subgraph.inputs[i];
    metadata.inputs.push_back(edge.subgraph == -1 ? network.inputs[static_cast<size_t>(edge.index)]
                                                  : InnerTensor(*subgraph.graph.inputs[i]));
  }
  for (size_t i = 0; i < subgraph.network_outputs.size(); ++i) {
    const int output = subgraph.network_outputs[i];
    metadata.outputs.push_back(output >= 0 ? network.outputs[static_cast<size_t>(output)]
                                           : InnerTensor(*subgraph.graph.outputs[i]));
  }
  return metadata;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoweredProgram>> PlacedProgram(const Subgraph& subgraph,
                                                              const Target& target) {
  ASSIGN_OR_RETURN(std::unique_ptr<LoweredProgram> lowered, LowerGraph(subgraph.graph));
  Program& program = lowered->program;
  const std::vector<Placement> placements =
      PlaceProgram(target, program, EnginesOf(subgraph.delegate.delegate));
  NameLayers(target, placements, program);
  return lowered;
}

absl::StatusOr<std::vector<LoweredSubgraph>> LowerSubgraphs(const SplitNetwork& network,
                                                            const ModelMetadata& metadata,
                                                            const Target& target,
                                                            bool signed_bytes) {
  std::vector<LoweredSubgraph> subgraphs;
  for (const Subgraph& subgraph : network.subgraphs) {
    LoweredSubgraph& added = subgraphs.emplace_back();
    ASSIGN_OR_RETURN(added.lowered, PlacedProgram(subgraph, target));
    added.lowered->program.signed_bytes = signed_bytes;
    added.delegate = subgraph.delegate.delegate;
    const Program& program = added.lowered->program;
    // A network that can't run must not look converted.
    RETURN_IF_ERROR(
        Annotate(CheckKernels(program), absl::StrCat("network '", subgraph.graph.name, "'")));
    ASSIGN_OR_RETURN(added.model, SerializeProgram(program));
    added.metadata = MetadataOf(subgraph, metadata);
    added.sources = subgraph.inputs;
  }
  return subgraphs;
}

absl::StatusOr<std::string> WriteSubgraphs(absl::Span<const LoweredSubgraph> subgraphs,
                                           absl::Span<const BundleEdge> outputs) {
  std::vector<BundlePart> parts;
  for (const LoweredSubgraph& subgraph : subgraphs) {
    parts.push_back({subgraph.model, subgraph.metadata, subgraph.sources});
  }
  return WriteBundle(parts, outputs);
}

}  // namespace synap_internal
