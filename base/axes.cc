#include "base/axes.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<int64_t> ResolveAxis(int64_t axis, size_t rank) {
  const auto limit = static_cast<int64_t>(rank);
  if (axis < -limit || axis >= limit) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is outside of a tensor of rank ", rank, ", expected one in [",
                     -limit, ", ", limit, ")"));
  }
  return static_cast<int64_t>(AxisFromFront(axis, rank));
}

absl::StatusOr<std::vector<int64_t>> ResolveAxes(std::vector<int64_t> axes, size_t rank) {
  std::vector<bool> seen(rank);
  for (int64_t& axis : axes) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(axis, rank));
    const auto place = seen.begin() + static_cast<ptrdiff_t>(axis);
    if (*place) return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " is given twice"));
    *place = true;
  }
  return axes;
}

std::vector<int64_t> InversePermutation(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

}  // namespace synap_internal
