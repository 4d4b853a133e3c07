#include "runtime/api/emulated_target.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/api/no_throw.h"
#include "synap/target.hpp"

namespace synap_internal {
namespace {

std::mutex mutex;

// By set_target, in capitals; "": none.
std::string& ChosenTarget() {
  static auto* const chosen = new std::string();
  return *chosen;
}

std::string EmulatedTarget() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!ChosenTarget().empty()) return ChosenTarget();
  const char* variable = std::getenv("SYNAP_TARGET");
  return variable == nullptr ? "" : absl::AsciiStrToUpper(variable);
}

}  // namespace

absl::Status CheckTarget(const Program& program) {
  const std::string target = EmulatedTarget();
  const std::vector<std::string>& aliases = program.target_aliases;
  if (target.empty() || program.target.empty() || program.target == target ||
      std::find(aliases.begin(), aliases.end(), target) != aliases.end()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the model was compiled for ", program.target,
                   aliases.empty() ? "" : absl::StrCat(" (or ", absl::StrJoin(aliases, ", "), ")"),
                   ", but networks run on ", target,
                   " here (SYNAP_TARGET), expected the same; convert it with --target ", target,
                   ", or name no chip"));
}

}  // namespace synap_internal

namespace synaptics::synap {

bool set_target(const std::string& name) {
  return ::synap_internal::NoThrow(__func__, false, [&] {
    std::string upper = absl::AsciiStrToUpper(name);
    const std::lock_guard<std::mutex> lock(::synap_internal::mutex);
    ::synap_internal::ChosenTarget() = std::move(upper);
    return true;
  });
}

std::string target() {
  return ::synap_internal::NoThrow(__func__, std::string(),
                                   [] { return ::synap_internal::EmulatedTarget(); });
}

}  // namespace synaptics::synap
