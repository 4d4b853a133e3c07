// A compiled graph as the subgraphs that the delegates of a target run.
#ifndef COMPILER_TARGET_DELEGATES_DELEGATE_NETWORK_H_
#define COMPILER_TARGET_DELEGATES_DELEGATE_NETWORK_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/delegates/assign_delegates.h"
#include "compiler/target/delegates/split_graph.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"

namespace synap_internal {

struct DelegatedNetwork {
  DelegateAssignment delegates;  // of the compiled graph
  SplitNetwork network;
};

// AssignDelegates and SplitGraph; arguments and errors are theirs.
absl::StatusOr<DelegatedNetwork> DelegateNetwork(const Graph& compiled, const Graph& imported,
                                                 const Metafile& metafile, const Target& target);

// Time of the subgraphs one after the other. Its `layers` are those of the first subgraph, then
// those of the next, and so on. `by_node`, if not null, gets the seconds of the instructions by the
// first imported node of each.
absl::StatusOr<LatencyEstimate> EstimateNetwork(const SplitNetwork& network, const Target& target,
                                                std::map<std::string, double>* by_node = nullptr);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_DELEGATE_NETWORK_H_
