#include "kernels/pool/pool.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Pool(benchmark::State& state, size_t op, DataType dtype, const Shape& x, int64_t taps,
             int64_t stride, int64_t pad) {
  using Ints = std::vector<int64_t>;
  const bool quantized = dtype == DataType::kUint8;
  const QuantParams quant = quantized ? QuantParams::Affine(0.1f, 10) : QuantParams();
  BenchOp(state, PoolOps()[op],
          {.inputs = {{dtype, x, quant}},
           .attributes = {{"kernel", Ints{taps, taps}},
                          {"strides", Ints{stride, stride}},
                          {"pads", Ints{pad, pad, pad, pad}}},
           .outputs = {{dtype, {}, quant}}});
}

// The stem and the spatial pyramid of YOLOv5, ResNet's stem and head.
BENCHMARK_CAPTURE(BM_Pool, max_u8_2x2_160x160x16, 0, DataType::kUint8, Shape{1, 160, 160, 16}, 2, 2,
                  0);
BENCHMARK_CAPTURE(BM_Pool, max_u8_5x5_20x20x128, 0, DataType::kUint8, Shape{1, 20, 20, 128}, 5, 1,
                  2);
BENCHMARK_CAPTURE(BM_Pool, max_f32_3x3_112x112x64, 0, DataType::kFloat32, Shape{1, 112, 112, 64}, 3,
                  2, 1);
BENCHMARK_CAPTURE(BM_Pool, avg_u8_7x7_7x7x1280, 1, DataType::kUint8, Shape{1, 7, 7, 1280}, 7, 1, 0);

}  // namespace
}  // namespace synap_internal
