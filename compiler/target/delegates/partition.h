// Partition of a directed acyclic graph whose nodes have colours into parts of one colour.
#ifndef COMPILER_TARGET_DELEGATES_PARTITION_H_
#define COMPILER_TARGET_DELEGATES_PARTITION_H_

#include <vector>

#include "absl/types/span.h"

namespace synap_internal {

struct ColouredNode {
  int colour = 0;              // from 0
  std::vector<int> producers;  // indices of earlier nodes
  bool is_work = false;        // takes time enough to run beside something else
};

// The nodes of each part, ascending, in an order in which each part follows those that it depends
// on. A part may consist of pieces that don't touch.
//
// First come as few parts as possible: a search over the sequences of colours, exact unless more
// than a few dozen sets of nodes are reachable with equally many parts. Then a part is cut where a
// part of another colour would wait for work that it doesn't need: into the nodes that the other
// part needs and the rest, which can run at the same time.
std::vector<std::vector<int>> PartitionByColour(absl::Span<const ColouredNode> nodes);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_DELEGATES_PARTITION_H_
