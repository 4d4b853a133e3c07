// Schedule of a program in waves: small instructions that don't depend on each other run at the
// same time, each on its own thread. A large instruction is a wave of its own and uses all threads.
#ifndef RUNTIME_EXECUTOR_WAVES_H_
#define RUNTIME_EXECUTOR_WAVES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Indices of the instructions of a wave, longest first. Waves run one after the other.
using Wave = std::vector<size_t>;

// Estimated time of an instruction on one thread of a typical processor, in microseconds.
double EstimateMicroseconds(const Program& program, const Instruction& instruction);

// Schedules every instruction once, after all that it depends on, as close to the program's order
// as possible. A wave has several instructions if that is estimated to be faster on `threads`
// threads than running each on all of them. `microseconds`: one estimate for each instruction,
// infinity for those that must run alone. REQUIRES: CheckProgram is OK.
std::vector<Wave> ScheduleWaves(const Program& program, absl::Span<const double> microseconds,
                                int threads);

struct WaveMemory {
  std::vector<uint64_t> offsets;  // in bytes, by tensor; valid for tensors in the arena
  uint64_t arena_bytes = 0;
};

// Places the tensors of the program's arena so that no memory is reused while an instruction of
// the same wave may read or write it. Instructions that work in place still do.
WaveMemory PlanWaveMemory(const Program& program, absl::Span<const Wave> waves);

}  // namespace synap_internal

#endif  // RUNTIME_EXECUTOR_WAVES_H_
