#include "compiler/import/emit/axes.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::StatusOr<AxisSlice> ResolveAxisSlice(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
    return absl::InvalidArgumentError(absl::StrCat("its step is ", step));
  }
  // The smallest number would overflow below, and means the same as this.
  start = std::max(start, -std::numeric_limits<int64_t>::max());
  end = std::max(end, -std::numeric_limits<int64_t>::max());
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  AxisSlice slice;
  slice.step = step;
  if (step > 0) {
    slice.start = std::clamp<int64_t>(start, 0, dim);
    const int64_t length = std::clamp<int64_t>(end, 0, dim) - slice.start;
    slice.size = length <= 0 ? 0 : (length - 1) / step + 1;
  } else {
    slice.start = std::clamp<int64_t>(start, -1, dim - 1);
    const int64_t length = slice.start - std::clamp<int64_t>(end, -1, dim - 1);
    slice.size = length <= 0 ? 0 : (length - 1) / -step + 1;
  }
  return slice;
}

}  // namespace synap_internal
