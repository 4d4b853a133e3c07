#include "kernels/softmax/softmax.h"

#include <cmath>
#include <cstdint>

#include "base/float_math.h"
#include "base/rounding.h"
#include "kernels/shared/virtual_lanes.h"

namespace synap_internal::softmax {
namespace {

void Row(const float* x, float* y, int64_t n, bool normalize) {
  const float max = ReduceLanes(n, -HUGE_VALF, LaneMaximum, [x](int64_t k) { return x[k]; });
  for (int64_t k = 0; k < n; ++k) y[k] = Exp(x[k] - max);
  if (!normalize) return;
  const float sum = ReduceLanes(n, 0, LaneSum, [y](int64_t k) { return y[k]; });
  for (int64_t k = 0; k < n; ++k) y[k] /= sum;
}

void LogRow(const float* x, float* y, int64_t n) {
  const float max = ReduceLanes(n, -HUGE_VALF, LaneMaximum, [x](int64_t k) { return x[k]; });
  const float sum = ReduceLanes(n, 0, LaneSum, [x, max](int64_t k) { return Exp(x[k] - max); });
  const float log = Log(sum);
  for (int64_t k = 0; k < n; ++k) y[k] = (x[k] - max) - log;
}

}  // namespace

void Reference(const Params& p, const void* x, void* y, float* row) {
  const bool bytes = p.type == DataType::kUint8;
  for (int64_t i = 0; i < p.outer * p.inner; ++i) {
    const int64_t begin = i / p.inner * p.length * p.inner + i % p.inner;
    for (int64_t k = 0; k < p.length; ++k) {
      const int64_t at = begin + k * p.inner;
      row[k] =
          bytes ? DequantizeValue(static_cast<const uint8_t*>(x)[at], p.in_scale, p.in_zero_point)
                : static_cast<const float*>(x)[at];
    }
    p.log ? LogRow(row, row, p.length) : Row(row, row, p.length, p.normalize);
    for (int64_t k = 0; k < p.length; ++k) {
      const int64_t at = begin + k * p.inner;
      if (bytes) {
        static_cast<uint8_t*>(y)[at] =
            static_cast<uint8_t>(QuantizeValue(row[k], p.out_scale, p.out_zero_point, 0, 255));
      } else {
        static_cast<float*>(y)[at] = row[k];
      }
    }
  }
}

}  // namespace synap_internal::softmax
