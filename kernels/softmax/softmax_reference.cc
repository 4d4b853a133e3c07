#include "kernels/softmax/softmax.h"

#include <cmath>
#include <cstdint>

#include "base/float_math.h"
#include "kernels/virtual_lanes.h"

namespace synap::softmax {
namespace {

template <typename F, typename G>
float Reduce(int64_t n, float start, F accumulate, G element) {
  VirtualLanes lanes;
  lanes.fill(start);
  for (int64_t k = 0; k < n; ++k) {
    float& lane = lanes[static_cast<size_t>(k) % kVirtualLanes];
    lane = accumulate(lane, element(k));
  }
  return FoldLanes(lanes, accumulate);
}

}  // namespace

void ReferenceRow(const float* x, float* y, int64_t n) {
  const float max = Reduce(n, -HUGE_VALF, LaneMaximum, [x](int64_t k) { return x[k]; });
  for (int64_t k = 0; k < n; ++k) y[k] = Exp(x[k] - max);
  const float sum = Reduce(n, 0, LaneSum, [y](int64_t k) { return y[k]; });
  for (int64_t k = 0; k < n; ++k) y[k] /= sum;
}

void ReferenceLogRow(const float* x, float* y, int64_t n) {
  const float max = Reduce(n, -HUGE_VALF, LaneMaximum, [x](int64_t k) { return x[k]; });
  const float sum = Reduce(n, 0, LaneSum, [x, max](int64_t k) { return Exp(x[k] - max); });
  const float log = Log(sum);
  for (int64_t k = 0; k < n; ++k) y[k] = (x[k] - max) - log;
}

}  // namespace synap::softmax
