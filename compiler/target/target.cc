#include "compiler/target/target.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "compiler/target/target_table.h"

namespace synap_internal {

absl::Span<const Target> AllTargets() {
  static const auto* const targets = new std::vector<Target>(MakeTargets());
  return *targets;
}

const Target& DefaultTarget() {
  const absl::StatusOr<const Target*> target = FindTarget(kDefaultTarget);
  CHECK(target.ok());
  return **target;
}

std::string TargetNames() {
  std::string names;
  for (const Target& target : AllTargets()) {
    if (target.has_npu) absl::StrAppend(&names, names.empty() ? "" : ", ", target.name);
  }
  return names;
}

double EstimateSeconds(const Target& target, DataType type, int64_t macs, int64_t bytes) {
  const double rate =
      SizeOf(type) == 1 ? target.int8_macs_per_second : target.int16_macs_per_second;
  return std::max(static_cast<double>(macs) / rate,
                  static_cast<double>(bytes) / target.memory_bytes_per_second);
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  const std::string wanted = absl::AsciiStrToUpper(name);
  for (const Target& target : AllTargets()) {
    const bool is_alias =
        std::find(target.aliases.begin(), target.aliases.end(), wanted) != target.aliases.end();
    if (target.name != wanted && !is_alias) continue;
    if (target.has_npu) return &target;
    return absl::UnimplementedError(absl::StrCat(
        "target ", target.name, " has no NPU, expected one that has; choose ", TargetNames()));
  }
  // The wording of other toolkits, which scripts look for.
  return absl::NotFoundError(
      absl::StrCat("Invalid target specified: ", name, ". Available targets: ", TargetNames()));
}

}  // namespace synap_internal
