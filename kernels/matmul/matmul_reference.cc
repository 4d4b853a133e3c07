#include "kernels/matmul/matmul.h"

#include <cmath>
#include <cstdint>

#include "base/rounding.h"
#include "kernels/shared/virtual_lanes.h"

namespace synap_internal {

void RunMatmulReference(const Matmul& matmul, const void* a, const void* b, void* output) {
  const int64_t rows = matmul.rows, depth = matmul.depth, columns = matmul.columns;
  for (int64_t i = 0; i < matmul.batch() * rows * columns; ++i) {
    const int64_t n = i % columns, m = i / columns % rows, matrix = i / columns / rows;
    const int64_t a_row = (matmul.MatrixOf(matmul.a_steps, matrix) * rows + m) * depth;
    const int64_t b_column = matmul.MatrixOf(matmul.b_steps, matrix) * depth * columns + n;
    if (matmul.quantized) {
      const uint8_t* a8 = static_cast<const uint8_t*>(a) + a_row;
      const uint8_t* b8 = static_cast<const uint8_t*>(b) + b_column;
      int64_t acc = 0, weights = 0;
      for (int64_t k = 0; k < depth; ++k) {
        acc += (a8[k] - matmul.a_zero_point) * (b8[k * columns] - matmul.b_zero_point);
        weights += a8[k] - matmul.a_zero_point;
      }
      static_cast<uint8_t*>(output)[i] = static_cast<uint8_t>(
          Requantize(acc, matmul.MultiplierOf(weights), matmul.output.zero_point, 0, 255));
    } else {
      const float* af = static_cast<const float*>(a) + a_row;
      const float* bf = static_cast<const float*>(b) + b_column;
      float acc = 0;
      for (int64_t k = 0; k < depth; ++k) acc = std::fma(af[k], bf[k * columns], acc);
      if (matmul.normalize) {
        acc /= ReduceLanes(depth, 0, LaneSum, [af](int64_t k) { return af[k]; });
      }
      static_cast<float*>(output)[i] = acc;
    }
  }
}

}  // namespace synap_internal
