// Check that a program may run on the chip that the emulated NPU stands for.
#ifndef RUNTIME_API_EMULATED_TARGET_H_
#define RUNTIME_API_EMULATED_TARGET_H_

#include "absl/status/status.h"
#include "runtime/program/program.h"

namespace synap_internal {

// FailedPrecondition naming both chips if the program was compiled for another one than
// synaptics::synap::target(). Any thread.
absl::Status CheckTarget(const Program& program);

}  // namespace synap_internal

#endif  // RUNTIME_API_EMULATED_TARGET_H_
