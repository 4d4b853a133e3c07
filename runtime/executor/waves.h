// Which instructions of a program run at the same time: small ones that don't depend on each
// other, each on a thread of its own. Large ones fill all threads by themselves.
#ifndef RUNTIME_EXECUTOR_WAVES_H_
#define RUNTIME_EXECUTOR_WAVES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/program/program.h"

namespace synap {

// Indices of instructions, those that take longest first. Waves run one after the other.
using Wave = std::vector<size_t>;

// About how long an instruction takes on one thread of a usual processor, in microseconds.
double EstimateMicroseconds(const Program& program, const Instruction& instruction);

// Every instruction once, behind all that it needs, as near to the program's order as that
// allows. A wave has several where that looks faster on so many threads than one after the
// other on all. `microseconds`: one estimate for each instruction, infinity for those that have
// to be alone. REQUIRES: CheckProgram is OK.
std::vector<Wave> ScheduleWaves(const Program& program, absl::Span<const double> microseconds,
                                int threads);

struct WaveMemory {
  std::vector<uint64_t> offsets;  // in bytes, by tensor; of those in the arena
  uint64_t arena_bytes = 0;
};

// Places for the tensors that the program has in its arena: nobody's memory is used again while
// an instruction of the same wave may read or write it. What works in place does so here too.
WaveMemory PlanWaveMemory(const Program& program, absl::Span<const Wave> waves);

}  // namespace synap

#endif  // RUNTIME_EXECUTOR_WAVES_H_
