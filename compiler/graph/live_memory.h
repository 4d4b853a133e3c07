// Use of a program's arena over time.
#ifndef COMPILER_GRAPH_LIVE_MEMORY_H_
#define COMPILER_GRAPH_LIVE_MEMORY_H_

#include <cstdint>
#include <vector>

#include "runtime/program/program.h"

namespace synap_internal {

// For each instruction the bytes of the arena that hold a value while it runs: its results, and
// what it or a later instruction reads. A tensor made in place of another one counts once. Sizes
// are rounded up to the alignment of tensors, as in the memory plan.
std::vector<uint64_t> LiveBytes(const Program& program);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_LIVE_MEMORY_H_
