#include "compiler/import/emit/axes.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace synap_internal {

std::vector<int64_t> AxesFrom(int64_t first, size_t rank) {
  std::vector<int64_t> axes(rank - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

absl::StatusOr<AxisSlice> ResolveAxisSlice(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its slice has a step of ", step, ", expected another number than 0"));
  }
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

absl::StatusOr<AxisSlice> ResolveRange(int64_t start, int64_t end, int64_t step) {
  constexpr int64_t kLimit = int64_t{1} << 53;
  for (const int64_t number : {start, end, step}) {
    if (number < -kLimit || number > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("its range has the number ", number,
                                                     ", expected at most 2^53 in magnitude"));
    }
  }
  if (step == 0) {
    return absl::InvalidArgumentError("its range has a step of 0, expected another number");
  }
  const int64_t distance = step > 0 ? end - start : start - end;
  const int64_t stride = step > 0 ? step : -step;
  return AxisSlice{start, distance <= 0 ? 0 : (distance + stride - 1) / stride, step};
}

}  // namespace synap_internal
