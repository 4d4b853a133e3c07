#include "runtime/vision/detector/prototype_masks.h"

#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<Prototypes> ReadPrototypes(const Shape& shape, const DetectionOptions& options) {
  const bool is_known = options.prototype_planes.has_value();
  ASSIGN_OR_RETURN(const bool are_planes, options.prototype_planes.value_or(false));
  if (shape.rank() != 4 || shape[0] != 1 || shape.elements() == 0 ||
      shape.elements() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("shape of the prototypes is ", shape.ToString(),
                                                   ", expected 1xMxHxW or 1xHxWxM"));
  }
  if (!is_known && shape[1] == shape[3]) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape of the prototypes is ", shape.ToString(),
                     ", 1xMxHxW or 1xHxWxM; add prototypes=nchw or prototypes=nhwc to the format"));
  }
  if (is_known ? are_planes : shape[1] < shape[3]) {
    return Prototypes{shape[1], shape[3], shape[2], true};
  }
  return Prototypes{shape[3], shape[2], shape[1], false};
}

void ComputeMask(const Prototypes& prototypes, const float* data, const float* coefficients,
                 ptrdiff_t step, DetectionDetails* details) {
  const int64_t pixels = prototypes.width * prototypes.height;
  details->mask_width = static_cast<int>(prototypes.width);
  details->mask_height = static_cast<int>(prototypes.height);
  details->mask.assign(static_cast<size_t>(pixels), 0.0f);
  float* mask = details->mask.data();
  // Both ways add a pixel's products in the order of the prototypes.
  if (prototypes.planes) {
    for (int64_t m = 0; m < prototypes.count; ++m, data += pixels) {
      const float coefficient = coefficients[m * step];
      for (int64_t i = 0; i < pixels; ++i) mask[i] += coefficient * data[i];
    }
    return;
  }
  std::vector<float> dense(static_cast<size_t>(prototypes.count));
  for (size_t m = 0; m < dense.size(); ++m) {
    dense[m] = coefficients[static_cast<ptrdiff_t>(m) * step];
  }
  for (int64_t i = 0; i < pixels; ++i) {
    for (const float coefficient : dense) mask[i] += coefficient * *data++;
  }
}

}  // namespace synap_internal
