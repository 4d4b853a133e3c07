// Values of a detection after its box and classes: landmarks, the angle, a mask's coefficients.
#ifndef RUNTIME_VISION_DETECTOR_TASK_VALUES_H_
#define RUNTIME_VISION_DETECTOR_TASK_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/prototype_masks.h"

namespace synap_internal {

// Of the yolo formats whose types end with the task: pose, seg or obb. They follow each other in
// this order.
struct TaskValues {
  int landmarks = 0;
  int landmark_values = 2;  // x, y and perhaps visibility
  bool oriented = false;    // an angle in radians
  bool masks = false;       // coefficients of the prototypes in tensor 1
  Prototypes prototypes;

  int64_t count() const {
    return int64_t{landmarks} * landmark_values + (oriented ? 1 : 0) + prototypes.count;
  }
};

// By the format's type and its attributes landmarks, visibility and prototypes. InvalidArgument for
// attributes out of their range, and unless there are two tensors if there are masks.
absl::StatusOr<TaskValues> ReadTaskValues(absl::Span<const DetectionTensor> tensors,
                                          const DetectionOptions& options);

// Fills in the details of `box`, whose task values are at d[0], d[step], d[2 * step] and so on.
void DescribeTask(const TaskValues& task, const DetectionInput& input, const DetectedBox& box,
                  const float* d, ptrdiff_t step, BoxScale scale, DetectionDetails* details);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_TASK_VALUES_H_
