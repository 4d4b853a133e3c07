// Memory planner: places tensors of known lifetime in one arena.
#ifndef RUNTIME_EXECUTOR_MEMORY_PLAN_H_
#define RUNTIME_EXECUTOR_MEMORY_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace synap_internal {

// Size of a block of memory, and the steps [first, last] during which it is in use.
struct Lifetime {
  uint64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<uint64_t> offsets;  // in bytes, multiples of 64, one for each lifetime
  uint64_t arena_bytes = 0;
  // The largest sum of blocks (rounded up to 64 bytes) that are alive at the
  // same step: no plan can be smaller.
  uint64_t lower_bound = 0;
};

// Greedy by size: the largest block first, each at the lowest offset where it
// collides with no block that is placed already and alive at the same time
// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", arXiv:2001.03288). While that leaves the arena more than a tenth above the lower
// bound, the block at its top is placed first and all others again, for at most 100 orders; the
// smallest arena counts. Depends on the lifetimes only.
MemoryPlan PlanMemory(absl::Span<const Lifetime> lifetimes);

}  // namespace synap_internal

#endif  // RUNTIME_EXECUTOR_MEMORY_PLAN_H_
