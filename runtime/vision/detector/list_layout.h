// Layout of lists of T detections of D values each, [T,D] or [D,T].
#ifndef RUNTIME_VISION_DETECTOR_LIST_LAYOUT_H_
#define RUNTIME_VISION_DETECTOR_LIST_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"

namespace synap_internal {

// Networks have thousands. Decoders keep some numbers for each, whatever a file's shapes are.
constexpr int64_t kMostDetections = int64_t{1} << 24;

struct ListLayout {
  int64_t count = 0;   // T
  int64_t values = 0;  // D
  // Value v of detection t has the index t * detection_stride + v * value_stride.
  ptrdiff_t detection_stride = 0;
  ptrdiff_t value_stride = 0;
};

// `shape` is [1,T,D] or [T,D], with values_first [1,D,T] or [D,T].
// InvalidArgument for other ranks, a batch, D < min_values or T > kMostDetections; the caller adds
// the tensor's index.
absl::StatusOr<ListLayout> ReadListLayout(const Shape& shape, bool values_first,
                                          int64_t min_values);

// The largest of `count` values `stride` apart, the first of equal ones; -1 if
// none is greater than 0.
int BestClass(const float* values, int64_t count, ptrdiff_t stride);

struct ClassScore {
  float score;
  int class_index;  // -1 if no score is greater than 0
};

// BestClass of the values first_class, ..., first_class + classes - 1 of each detection, in the
// order of memory.
std::vector<ClassScore> BestClasses(const float* data, const ListLayout& layout,
                                    int64_t first_class, int64_t classes);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_LIST_LAYOUT_H_
