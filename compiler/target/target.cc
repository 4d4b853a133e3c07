#include "compiler/target/target.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

// Published: 7.65 TOP/s on VS680 and 1.62 TOP/s on VS640, for a network of 5x5
// convolutions; the SL16xx chips have the same NPUs.
constexpr double kLargeNpuMacs = 7.65e12 / 2;
constexpr double kSmallNpuMacs = 1.62e12 / 2;
// The same with int16 operands: 1.7 TOP/s and 0.45 TOP/s.
constexpr double kLargeNpuWideMacs = 1.7e12 / 2;
constexpr double kSmallNpuWideMacs = 0.45e12 / 2;
// LPDDR4x-3733 of 64 and of 32 bits.
constexpr double kLargeBoardMemory = 29.9e9;
constexpr double kSmallBoardMemory = 14.9e9;

Target WithLargeNpu(absl::string_view name, std::vector<absl::string_view> aliases) {
  return {name, std::move(aliases), true, kLargeNpuMacs, kLargeNpuWideMacs, kLargeBoardMemory};
}

Target WithSmallNpu(absl::string_view name, std::vector<absl::string_view> aliases) {
  return {name, std::move(aliases), true, kSmallNpuMacs, kSmallNpuWideMacs, kSmallBoardMemory};
}

}  // namespace

absl::Span<const Target> AllTargets() {
  static const auto* const targets = new std::vector<Target>{
      {.name = "GENERIC"},
      {.name = "DVF120"},
      WithSmallNpu("VS640", {"VS640A0", "PLATYPUS"}),
      WithLargeNpu("VS680", {"VS680A0", "DOLPHIN"}),
      {.name = "SL1620"},
      WithSmallNpu("SL1640", {}),
      WithLargeNpu("SL1680", {}),
  };
  return *targets;
}

double EstimateSeconds(const Target& target, DataType type, int64_t macs, int64_t bytes) {
  const double rate =
      SizeOf(type) == 1 ? target.int8_macs_per_second : target.int16_macs_per_second;
  return std::max(static_cast<double>(macs) / rate,
                  static_cast<double>(bytes) / target.memory_bytes_per_second);
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  const std::string wanted = absl::AsciiStrToUpper(name);
  std::vector<absl::string_view> available;
  for (const Target& target : AllTargets()) {
    const bool alias =
        std::find(target.aliases.begin(), target.aliases.end(), wanted) != target.aliases.end();
    if (target.name == wanted || alias) {
      if (target.has_npu) return &target;
      return absl::UnimplementedError(absl::StrCat(
          "target ", target.name, " has no NPU; compiling for it is not supported yet"));
    }
    if (target.has_npu) available.push_back(target.name);
  }
  return absl::NotFoundError(absl::StrCat("Invalid target specified: ", name,
                                          ". Available targets: ", absl::StrJoin(available, ", ")));
}

}  // namespace synap_internal
