// Lowers a graph to a program: instructions in the graph's order, constants in one block, and an
// offset in the arena for every other tensor.
#ifndef COMPILER_GRAPH_LOWER_H_
#define COMPILER_GRAPH_LOWER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "base/aligned_memory.h"
#include "compiler/graph/graph.h"
#include "runtime/program/program.h"

namespace synap_internal {

struct LoweredProgram {
  Program program;                // its constants refer to `constants`
  AlignedMemory constants;        // empty if the program has none
  uint64_t largest_live_set = 0;  // bytes; no arena can be smaller
};

// Equal constants are stored once. Graph inputs and outputs become the caller's buffers; an output
// that is an input, a constant or listed twice is copied by a reshape. Tensors share memory where
// their live ranges don't overlap, and an op works in place where it may. The result depends on the
// graph only. Errors are Internal: the graph has passed VerifyGraph.
absl::StatusOr<std::unique_ptr<LoweredProgram>> LowerGraph(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_LOWER_H_
