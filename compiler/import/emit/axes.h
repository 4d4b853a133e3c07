// Slices of a dimension as importers find them: negative, open-ended, out of range.
#ifndef COMPILER_IMPORT_EMIT_AXES_H_
#define COMPILER_IMPORT_EMIT_AXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/axes.h"  // ResolveAxis, ResolveAxes

namespace synap_internal {

// `size` elements of a dimension: start, start + step, ...
struct AxisSlice {
  int64_t start = 0;
  int64_t size = 0;
  int64_t step = 1;
};

// Python's start:end:step of a dimension of `dim` elements: negative ends count
// from the back, what is out of range is clamped. InvalidArgument for a step of
// 0 or the smallest int64.
absl::StatusOr<AxisSlice> ResolveAxisSlice(int64_t dim, int64_t start, int64_t end, int64_t step);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_AXES_H_
