// Form of YuNet of 2021, whose boxes are relative to priors.
#ifndef RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_
#define RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// Whether these are YuNet's tensors of priors, in any order: rows of a box and five landmarks
// [1,N,14], scores [1,N,2], activated, and qualities of boxes [1,N,1].
bool AreYunetPriors(absl::Span<const DetectionTensor> tensors);

// Their decoder, and that of other boxes relative to priors.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakePriorBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_PRIOR_BOXES_H_
