#include "compiler/target/target.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap {
namespace {

// Published: 7.65 TOP/s on VS680 and 1.62 TOP/s on VS640, for a network of 5x5
// convolutions; the SL16xx chips have the same NPUs.
constexpr double kLargeNpuMacs = 7.65e12 / 2;
constexpr double kSmallNpuMacs = 1.62e12 / 2;

}  // namespace

absl::Span<const Target> AllTargets() {
  static const auto* const targets = new std::vector<Target>{
      {"GENERIC", {}, false, 0},
      {"DVF120", {}, false, 0},
      {"VS640", {"VS640A0", "PLATYPUS"}, true, kSmallNpuMacs},
      {"VS680", {"VS680A0", "DOLPHIN"}, true, kLargeNpuMacs},
      {"SL1620", {}, false, 0},
      {"SL1640", {}, true, kSmallNpuMacs},
      {"SL1680", {}, true, kLargeNpuMacs},
  };
  return *targets;
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

}  // namespace synap
