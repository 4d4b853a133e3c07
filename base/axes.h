// Axes of a tensor, negative ones counted from the back, and orders of them.
#ifndef BASE_AXES_H_
#define BASE_AXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace synap_internal {

// An axis in [-rank, rank) -> [0, rank). InvalidArgument for others.
absl::StatusOr<int64_t> ResolveAxis(int64_t axis, size_t rank);

// The same for several. InvalidArgument also where two are the same.
absl::StatusOr<std::vector<int64_t>> ResolveAxes(std::vector<int64_t> axes, size_t rank);

// The same for an axis that was checked before. REQUIRES: it is in [-rank, rank).
inline size_t AxisFromFront(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

// The permutation q with q[p[i]] = i. REQUIRES: p holds 0, 1, ..., size - 1.
std::vector<int64_t> InversePermutation(const std::vector<int64_t>& permutation);

}  // namespace synap_internal

#endif  // BASE_AXES_H_
