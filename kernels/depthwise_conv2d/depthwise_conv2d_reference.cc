#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

namespace synap_internal {
namespace {

// Calls step(index into x, index into w) for every tap of output (n, r, q, c)
// inside of the image, in the order (kh, kw).
template <typename Step>
void ForEachTap(const Window& window, const Shape& x, int64_t n, int64_t r, int64_t q, int64_t c,
                Step step) {
  for (int64_t kh = 0; kh < window.rows.taps; ++kh) {
    for (int64_t kw = 0; kw < window.columns.taps; ++kw) {
      const int64_t row = window.rows.Position(r, kh);
      const int64_t column = window.columns.Position(q, kw);
      if (row < 0 || row >= x[1] || column < 0 || column >= x[2]) continue;
      step(((n * x[1] + row) * x[2] + column) * x[3] + c,
           (kh * window.columns.taps + kw) * x[3] + c);
    }
  }
}

}  // namespace

void RunDepthwiseReference(const Window& window, const LinearData& data, const Shape& x_shape,
                           const Shape& output_shape, const KernelArgs& args) {
  const Shape& out = output_shape;
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t c = i % out[3], q = i / out[3] % out[2];
    const int64_t r = i / out[3] / out[2] % out[1], n = i / out[3] / out[2] / out[1];
    const auto for_each_tap = [&](auto step) { ForEachTap(window, x_shape, n, r, q, c, step); };
    ComputeLinear(data, args, static_cast<size_t>(c), for_each_tap, i);
  }
}

}  // namespace synap_internal
