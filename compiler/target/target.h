// The NPUs that models are compiled for. A target is data; generic code asks its
// fields and never its name.
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
  absl::string_view name;  // "VS680"
  std::vector<absl::string_view> aliases;
  bool has_npu = false;
  // Peaks of the convolution engine, multiply-accumulates per second: half of the
  // best published rate of operations with operands of 8 and of 16 bits.
  double int8_macs_per_second = 0;
  double int16_macs_per_second = 0;
  double memory_bytes_per_second = 0;  // the board's memory, published peak
};

// In the order in which they are listed to users.
absl::Span<const Target> AllTargets();

// How long a layer takes that does so many multiply-accumulates on operands of
// `type` and reads and writes so many bytes: whichever of the two takes longer at
// the target's peaks. A plain estimate: real layers are slower, each in its own way.
// Float types, of which no peak is published, count as 16 bits. REQUIRES: has_npu.
double EstimateSeconds(const Target& target, DataType type, int64_t macs, int64_t bytes);

// By name or alias, case ignored. NotFound listing the names; Unimplemented for
// a target that has no NPU, which nothing compiles for yet.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_TARGET_H_
