#include "compiler/import/operator_table.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::Status CheckOperandCount(size_t count, size_t required, size_t max) {
  if (count >= required && count <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("has ", count, count == 1 ? " operand" : " operands", ", expected ", required,
                   max == required    ? ""
                   : max == kAnyCount ? " or more"
                                      : absl::StrCat(" to ", max)));
}

absl::Status CheckOperands(size_t required, size_t max, std::vector<Tensor*>& operands) {
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  RETURN_IF_ERROR(CheckOperandCount(operands.size(), required, max));
  for (size_t i = 0; i < required; ++i) {
    if (operands[i] != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat("operand ", i, " is absent, expected a tensor"));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
