#include "kernels/fully_connected/fully_connected.h"

#include <cmath>

namespace synap {

void RunFullyConnectedReference(const LinearData& data, int64_t rows, int64_t inputs,
                                int64_t outputs, const void* x, void* output) {
  for (int64_t i = 0; i < rows * outputs; ++i) {
    const int64_t row = i / outputs, o = i % outputs;
    const auto channel = static_cast<size_t>(o);
    if (data.quantized) {
      const uint8_t* x8 = static_cast<const uint8_t*>(x) + row * inputs;
      const uint8_t* w8 = static_cast<const uint8_t*>(data.weights) + o * inputs;
      int32_t acc = data.bias[channel];
      for (int64_t k = 0; k < inputs; ++k) {
        acc += (x8[k] - data.x_zero_point) * (w8[k] - data.w_zero_points[channel]);
      }
      static_cast<uint8_t*>(output)[i] = data.output.Apply(acc, channel);
    } else {
      const float* xf = static_cast<const float*>(x) + row * inputs;
      const float* wf = static_cast<const float*>(data.weights) + o * inputs;
      float acc = data.float_bias[channel];
      for (int64_t k = 0; k < inputs; ++k) acc = std::fma(xf[k], wf[k], acc);
      static_cast<float*>(output)[i] = ApplyClamp(acc, data.clamp);
    }
  }
}

}  // namespace synap
