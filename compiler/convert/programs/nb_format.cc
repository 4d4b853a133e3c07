#include "compiler/convert/programs/nb_format.h"

#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::Status CheckTargetRunsNb(const Target& target, absl::string_view option,
                               absl::string_view instead) {
  if (target.has_npu()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", target.name,
                   " has no NPU, expected a target with one, which runs model.nb; ", instead));
}

absl::Status CheckIsOneProgram(const CompiledModel& model, absl::string_view option,
                               absl::string_view instead) {
  if (model.subgraphs == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": the layers run on several delegates, in ", model.subgraphs,
      " subgraphs, which only model.synap holds; ", instead, ", or one 'delegate' for all layers"));
}

}  // namespace synap_internal
