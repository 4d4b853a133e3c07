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

absl::StatusOr<LatencyEstimate> EstimateNetwork(const SplitNetwork& network, const Target& target) {
  LatencyEstimate estimate;
  for (const Subgraph& subgraph : network.subgraphs) {
    ASSIGN_OR_RETURN(const std::unique_ptr<LoweredProgram> lowered,
                     PlacedProgram(subgraph, target));
    estimate.Add(EstimateLatency(lowered->program, target));
  }
  return estimate;
}

}  // namespace synap_internal
