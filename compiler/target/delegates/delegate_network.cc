#include "compiler/target/delegates/delegate_network.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "compiler/target/delegates/lower_subgraphs.h"
#include "compiler/target/delegates/target_delegates.h"

namespace synap_internal {

absl::StatusOr<DelegatedNetwork> DelegateNetwork(const Graph& compiled, const Graph& imported,
                                                 const Metafile& metafile, const Target& target) {
  ASSIGN_OR_RETURN(DelegateAssignment delegates,
                   AssignDelegates(compiled, imported, metafile, DelegatesOf(target, compiled)));
  ASSIGN_OR_RETURN(SplitNetwork network, SplitGraph(compiled, delegates));
  return DelegatedNetwork{std::move(delegates), std::move(network)};
}

absl::StatusOr<LatencyEstimate> EstimateNetwork(const SplitNetwork& network, const Target& target,
                                                std::map<std::string, double>* by_node) {
  LatencyEstimate estimate;
  for (const Subgraph& subgraph : network.subgraphs) {
    ASSIGN_OR_RETURN(const std::unique_ptr<LoweredProgram> lowered,
                     PlacedProgram(subgraph, target));
    const LatencyEstimate part = EstimateLatency(lowered->program, target);
    for (size_t i = 0; by_node != nullptr && i < part.layers.size(); ++i) {
      const std::vector<std::string>& origins = lowered->program.instructions[i].origins;
      if (!origins.empty()) (*by_node)[origins[0]] += part.layers[i].seconds;
    }
    estimate.Add(part);
  }
  return estimate;
}

}  // namespace synap_internal
