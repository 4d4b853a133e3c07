#include "kernels/pool/pool.h"

#include <limits>

#include "base/rounding.h"

namespace synap_internal {
namespace {

// Calls step(index into x) for every tap of output (n, r, q, c) inside of the
// image, in the order (kh, kw).
template <typename Step>
void ForEachTap(const Pool& pool, int64_t n, int64_t r, int64_t q, int64_t c, Step step) {
  const Shape& x = pool.x;
  for (int64_t kh = 0; kh < pool.window.rows.taps; ++kh) {
    for (int64_t kw = 0; kw < pool.window.columns.taps; ++kw) {
      const int64_t row = pool.window.rows.Position(r, kh);
      const int64_t column = pool.window.columns.Position(q, kw);
      if (row < 0 || row >= x[1] || column < 0 || column >= x[2]) continue;
      step(((n * x[1] + row) * x[2] + column) * x[3] + c);
    }
  }
}

float Average(float sum, int64_t count, const Pool&) { return sum / static_cast<float>(count); }

uint8_t Average(int32_t sum, int64_t count, const Pool& pool) {
  return static_cast<uint8_t>(
      Requantize(sum, AverageMultiplier(pool, count), pool.output_quant.zero_point(), 0, 255));
}

// T: type of the elements. Sum: type of their sums. lowest: start value of the maximum.
template <typename T, typename Sum>
void Run(const Pool& pool, const T* x, T* output, T lowest, Sum x_zero, T output_zero) {
  const Shape& out = pool.output;
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t c = i % out[3], q = i / out[3] % out[2];
    const int64_t r = i / out[3] / out[2] % out[1], n = i / out[3] / out[2] / out[1];
    T largest = lowest;
    Sum sum = 0;
    bool any = false;
    ForEachTap(pool, n, r, q, c, [&](int64_t at) {
      if (x[at] > largest) largest = x[at];
      sum += static_cast<Sum>(x[at]) - x_zero;
      any = true;
    });
    const bool padded = pool.count_include_pad;
    const int64_t count = CountTaps(pool.window.rows, r, pool.x[1], padded) *
                          CountTaps(pool.window.columns, q, pool.x[2], padded);
    output[i] = !any ? output_zero : pool.average ? Average(sum, count, pool) : largest;
  }
}

}  // namespace

void RunPoolReference(const Pool& pool, const void* x, void* output) {
  if (pool.quantized) {
    Run<uint8_t, int32_t>(pool, static_cast<const uint8_t*>(x), static_cast<uint8_t*>(output), 0,
                          pool.x_quant.zero_point(),
                          static_cast<uint8_t>(pool.output_quant.zero_point()));
  } else {
    Run<float, float>(pool, static_cast<const float*>(x), static_cast<float*>(output),
                      -std::numeric_limits<float>::infinity(), 0, 0);
  }
}

}  // namespace synap_internal
