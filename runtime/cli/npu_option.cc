#include "runtime/cli/npu_option.h"

#include <ostream>

namespace synap_internal {

void NpuOption::Declare(ArgParser& parser) {
  parser.Flag("--lock", "Lock the NPU: no other process of this user can run networks", &lock_);
}

bool NpuOption::Apply(std::ostream& out, std::ostream& err) {
  if (!lock_) return true;
  if (!npu_.lock()) {
    err << "Unable to lock the NPU\n";
    return false;
  }
  out << "NPU locked\n";
  return true;
}

}  // namespace synap_internal
