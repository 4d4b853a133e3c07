// Turns a graph into a program: instructions in the graph's order, constants in
// one block, every other tensor at its place in the arena.
#ifndef COMPILER_LOWER_LOWER_H_
#define COMPILER_LOWER_LOWER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"
#include "runtime/program/program.h"

namespace synap_internal {

struct LoweredProgram {
  Program program;                 // its constants refer to `constants`
  std::vector<uint8_t> constants;  // with room to align the first
  uint64_t largest_live_set = 0;   // bytes; the arena can't be smaller
};

// Copies of a constant are stored once. Graph inputs and outputs become the
// caller's buffers; an output that is an input, a constant or named twice is
// copied by a reshape. The result depends on the graph only.
absl::StatusOr<std::unique_ptr<LoweredProgram>> LowerGraph(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_LOWER_LOWER_H_
