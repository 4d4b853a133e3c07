// Axes and slices as models write them, checked and made non-negative.
#ifndef COMPILER_IMPORT_EMIT_AXES_H_
#define COMPILER_IMPORT_EMIT_AXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/axes.h"  // InversePermutation, ResolveAxis, ResolveAxes

namespace synap_internal {

// The axes first, first + 1, ..., rank - 1.
std::vector<int64_t> AxesFrom(int64_t first, size_t rank);

// `size` elements of a dimension: start, start + step, ...
struct AxisSlice {
  int64_t start = 0;
  int64_t size = 0;
  int64_t step = 1;
};

// Python's start:end:step of a dimension of `dim` elements: negative ends count
// from the end, ends out of range are clamped. InvalidArgument for a step of 0 or
// the smallest int64.
absl::StatusOr<AxisSlice> ResolveAxisSlice(int64_t dim, int64_t start, int64_t end, int64_t step);

// Python's range(start, end, step). InvalidArgument for a step of 0 and for
// numbers outside of -2^53 to 2^53.
absl::StatusOr<AxisSlice> ResolveRange(int64_t start, int64_t end, int64_t step);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_AXES_H_
