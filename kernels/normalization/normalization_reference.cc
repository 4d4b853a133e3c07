#include "kernels/normalization/normalization.h"

#include <cmath>

#include "kernels/shared/virtual_lanes.h"

namespace synap_internal::normalization {

void ReferenceRow(const Params& params, const float* scale, const float* bias, int64_t o, int64_t i,
                  float* row) {
  const int64_t n = params.length, step = params.inner;
  const bool along = step == 1;
  const auto count = static_cast<float>(n);
  const auto element = [&](int64_t k) { return row[k * step]; };
  if (params.center) {
    const float mean = ReduceBlocks(n, along, 0, LaneSum, LaneSum, element) / count;
    for (int64_t k = 0; k < n; ++k) row[k * step] -= mean;
  }
  const float squares = ReduceBlocks(n, along, 0, LaneSumOfSquares, LaneSum, element);
  const float inverse = InverseDeviation(params, squares);
  for (int64_t k = 0; k < n; ++k) {
    const float by = scale == nullptr ? 1 : scale[params.scale.Offset(o, k, i)];
    const float shift = bias == nullptr ? 0 : bias[params.bias.Offset(o, k, i)];
    row[k * step] = Finish(row[k * step] * inverse, by, shift, params.clamp);
  }
}

}  // namespace synap_internal::normalization
