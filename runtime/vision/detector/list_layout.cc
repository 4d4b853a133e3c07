#include "runtime/vision/detector/list_layout.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {

absl::StatusOr<ListLayout> ReadListLayout(const Shape& shape, bool values_first,
                                          int64_t min_values) {
  const absl::string_view order = values_first ? "1xDxT" : "1xTxD";
  if (shape.rank() < 2 || shape.rank() > 3 || (shape.rank() == 3 && shape[0] != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its shape is ", shape.ToString(), ", expected ", order));
  }
  const int64_t rows = shape[shape.rank() - 2];
  const int64_t columns = shape.back();
  ListLayout layout;
  layout.count = values_first ? columns : rows;
  layout.values = values_first ? rows : columns;
  layout.detection_stride = values_first ? 1 : columns;
  layout.value_stride = values_first ? columns : 1;
  if (layout.values < min_values) {
    return absl::InvalidArgumentError(
        absl::StrCat("its shape is ", shape.ToString(), " (", order, "), which leaves ",
                     layout.values, " values for a detection, expected at least ", min_values));
  }
  if (layout.count > kMostDetections) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its shape is ", shape.ToString(), ", expected at most ", kMostDetections, " detections"));
  }
  return layout;
}

int BestClass(const float* values, int64_t count, ptrdiff_t stride) {
  int best = -1;
  float best_score = std::numeric_limits<float>::min();
  for (int64_t c = 0; c < count; ++c) {
    const float score = values[c * stride];
    if (score > best_score) {
      best_score = score;
      best = static_cast<int>(c);
    }
  }
  return best;
}

std::vector<ClassScore> BestClasses(const float* data, const ListLayout& layout,
                                    int64_t first_class, int64_t classes) {
  std::vector<ClassScore> best(static_cast<size_t>(layout.count),
                               {std::numeric_limits<float>::min(), -1});
  // Detections side by side in memory are read class by class, a block of them after the other.
  const int64_t block = layout.detection_stride == 1 ? 1024 : 1;
  for (int64_t begin = 0; begin < layout.count; begin += block) {
    const int64_t end = std::min(begin + block, layout.count);
    for (int64_t c = 0; c < classes; ++c) {
      const float* values = data + (first_class + c) * layout.value_stride;
      for (int64_t t = begin; t < end; ++t) {
        ClassScore& score = best[static_cast<size_t>(t)];
        const float value = values[t * layout.detection_stride];
        if (value > score.score) score = {value, static_cast<int>(c)};
      }
    }
  }
  return best;
}

}  // namespace synap_internal
