#include "kernels/operands.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

// "2", "2 to 5", "1 or more".
std::string ExpectedCount(const OpDef& op) {
  const auto most = static_cast<int>(op.operands.size());
  if (op.variadic) return absl::StrCat(op.required, " or more");
  return op.required == most ? absl::StrCat(most) : absl::StrCat(op.required, " to ", most);
}

}  // namespace

absl::Status CheckOperands(const OpDef& op, absl::Span<const TensorType> operands) {
  const auto required = static_cast<size_t>(op.required);
  const size_t count = operands.size();
  if (count < required || (!op.variadic && count > op.operands.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", count, count == 1 ? " operand" : " operands", ", expected ", ExpectedCount(op)));
  }
  for (size_t i = 0; i < (op.variadic ? count : required); ++i) {
    if (!operands[i].present()) {
      return absl::InvalidArgumentError(
          absl::StrCat("operand ", i, " is absent, expected a tensor"));
    }
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
