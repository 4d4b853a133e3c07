// Chips that models are compiled for, as data of compiler/target/targets.bzl. Generic code asks a
// target's fields, never its name.
#ifndef COMPILER_TARGET_TARGET_H_
#define COMPILER_TARGET_TARGET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"

namespace synap_internal {

struct Target {
  absl::string_view name;  // in capitals
  std::vector<absl::string_view> aliases;
  bool has_npu = false;
  // Peaks of the convolution engine in multiply-accumulates per second: half of the best published
  // rate of operations with operands of 8 and of 16 bits.
  double int8_macs_per_second = 0;
  double int16_macs_per_second = 0;
  double memory_bytes_per_second = 0;  // published peak of the board's memory
};

// All targets in the order of targets.bzl, those without an NPU included.
absl::Span<const Target> AllTargets();

// The target of commands that take one and were given none.
const Target& DefaultTarget();

// Names of the targets that models can be compiled for: "VS640, VS680".
std::string TargetNames();

// Estimated seconds of a layer that does `macs` multiply-accumulates on operands of `type` and
// reads and writes `bytes`: the longer of the two at the target's peaks. Real layers take longer,
// by a factor of their own. Float types have no published peak and count as 16 bits.
// REQUIRES: target.has_npu.
double EstimateSeconds(const Target& target, DataType type, int64_t macs, int64_t bytes);

// Finds a target by name or alias; case is ignored. NotFound with the names of all;
// Unimplemented for a target without an NPU.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_TARGET_H_
