#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include <cmath>

namespace synap {
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
                           const Shape& output_shape, const void* x, void* output) {
  const auto* xf = static_cast<const float*>(x);
  const auto* wf = static_cast<const float*>(data.weights);
  const auto* x8 = static_cast<const uint8_t*>(x);
  const auto* w8 = static_cast<const uint8_t*>(data.weights);
  const Shape& out = output_shape;
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t c = i % out[3], q = i / out[3] % out[2];
    const int64_t r = i / out[3] / out[2] % out[1], n = i / out[3] / out[2] / out[1];
    const auto channel = static_cast<size_t>(c);
    if (data.quantized) {
      int32_t acc = data.bias[channel];
      ForEachTap(window, x_shape, n, r, q, c, [&](int64_t at_x, int64_t at_w) {
        acc += (x8[at_x] - data.x_zero_point) * (w8[at_w] - data.w_zero_points[channel]);
      });
      static_cast<uint8_t*>(output)[i] = data.output.Apply(acc, channel);
    } else {
      float acc = data.float_bias[channel];
      ForEachTap(window, x_shape, n, r, q, c,
                 [&](int64_t at_x, int64_t at_w) { acc = std::fma(xf[at_x], wf[at_w], acc); });
      static_cast<float*>(output)[i] = ApplyClamp(acc, data.clamp);
    }
  }
}

}  // namespace synap
