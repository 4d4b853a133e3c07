// Masks of detections, as weighted sums of a network's prototypes.
#ifndef RUNTIME_VISION_DETECTOR_PROTOTYPE_MASKS_H_
#define RUNTIME_VISION_DETECTOR_PROTOTYPE_MASKS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// Layout of a tensor of M prototypes (YOLACT, https://arxiv.org/abs/1904.02689, section 3.3).
struct Prototypes {
  int64_t count = 0;  // M
  int64_t width = 0;
  int64_t height = 0;
  bool planes = false;  // [1,M,height,width], else [1,height,width,M]
};

// prototypes=nchw or nhwc says which dimension M is; without it, it is the smaller one of the
// second and the last. InvalidArgument for other ranks, a batch, equal dimensions.
absl::StatusOr<Prototypes> ReadPrototypes(const Shape& shape, const DetectionOptions& options);

// The mask of a detection: the sum of the prototypes times its coefficients, which are `step`
// apart; raw, so positive where its logistic function exceeds 0.5.
void ComputeMask(const Prototypes& prototypes, const float* data, const float* coefficients,
                 ptrdiff_t step, DetectionDetails* details);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_PROTOTYPE_MASKS_H_
