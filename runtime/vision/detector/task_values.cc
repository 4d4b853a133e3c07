#include "runtime/vision/detector/task_values.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

absl::StatusOr<TaskValues> ReadTaskValues(absl::Span<const DetectionTensor> tensors,
                                          const DetectionOptions& options) {
  const bool pose = absl::EndsWith(options.type, "pose");
  TaskValues task;
  ASSIGN_OR_RETURN(task.landmarks, options.landmarks.value_or(pose ? 17 : 0));
  ASSIGN_OR_RETURN(const bool visibility, options.visibility.value_or(pose));
  task.landmark_values = visibility ? 3 : 2;
  task.oriented = absl::EndsWith(options.type, "obb");
  task.masks = absl::EndsWith(options.type, "seg");
  if (!task.masks) return task;
  if (tensors.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, ", options.type,
                     " needs 2: detections and prototypes of their masks"));
  }
  ASSIGN_OR_RETURN(task.prototypes, ReadPrototypes(tensors[1].shape, options));
  return task;
}

void DescribeTask(const TaskValues& task, const DetectionInput& input, const DetectedBox& box,
                  const float* d, ptrdiff_t step, BoxScale scale, DetectionDetails* details) {
  for (int l = 0; l < task.landmarks; ++l, d += task.landmark_values * step) {
    details->landmarks.push_back(
        {d[0] * scale.x, d[step] * scale.y, task.landmark_values == 3 ? d[2 * step] : 0});
  }
  if (task.oriented) AddCorners(box, details);
  if (task.masks) ComputeMask(task.prototypes, input.tensors[1], d, step, details);
}

}  // namespace synap_internal
