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

namespace synap {

struct Target {
  absl::string_view name;  // "VS680"
  std::vector<absl::string_view> aliases;
  bool has_npu = false;
  // Peak of the convolution engine with 8-bit operands, multiply-accumulates per
  // second: half of the best published rate of operations.
  double int8_macs_per_second = 0;
};

// In the order in which they are listed to users.
absl::Span<const Target> AllTargets();

// By name or alias, case ignored. NotFound listing the names; Unimplemented for
// a target that has no NPU, which nothing compiles for yet.
absl::StatusOr<const Target*> FindTarget(absl::string_view name);

}  // namespace synap

#endif  // COMPILER_TARGET_TARGET_H_
