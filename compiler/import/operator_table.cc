#include "compiler/import/operator_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

absl::Status WrongCount(size_t count, size_t required, size_t max) {
  return absl::InvalidArgumentError(absl::StrCat("has ", count, " operands, expected ", required,
                                                 max == required    ? ""
                                                 : max == kAnyCount ? " or more"
                                                                    : absl::StrCat(" to ", max)));
}

}  // namespace

absl::Status CheckOperandCount(size_t count, size_t required, size_t max) {
  return count >= required && count <= max ? absl::OkStatus() : WrongCount(count, required, max);
}

absl::Status CheckOperands(size_t required, size_t max, std::vector<Tensor*>& operands) {
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  const auto first_absent = std::find(operands.begin(), operands.end(), nullptr);
  const auto present = static_cast<size_t>(first_absent - operands.begin());
  const bool fits = present >= required && operands.size() <= max;
  return fits ? absl::OkStatus() : WrongCount(operands.size(), required, max);
}

}  // namespace synap_internal
