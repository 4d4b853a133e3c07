#include "kernels/matmul/matmul.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Matmul(benchmark::State& state, DataType dtype, const Shape& a, const Shape& b,
               bool normalize = false) {
  const QuantParams quant =
      dtype == DataType::kUint8 ? QuantParams::Affine(0.02f, 120) : QuantParams();
  BenchOp(state, MatmulOps()[0],
          {.inputs = {{dtype, a, quant}, {dtype, b, quant}},
           .attributes = normalize ? Attributes{{"normalize", int64_t{1}}} : Attributes{},
           .outputs = {{dtype, {}, quant}}});
}

// Attention of a small vision transformer: scores, and values, divided by the scores' sums in the
// last one; a square product.
BENCHMARK_CAPTURE(BM_Matmul, u8_3x197x64_197, DataType::kUint8, Shape{3, 197, 64},
                  Shape{3, 64, 197});
BENCHMARK_CAPTURE(BM_Matmul, u8_3x197x197_64, DataType::kUint8, Shape{3, 197, 197},
                  Shape{3, 197, 64});
BENCHMARK_CAPTURE(BM_Matmul, f32_3x197x64_197, DataType::kFloat32, Shape{3, 197, 64},
                  Shape{3, 64, 197});
BENCHMARK_CAPTURE(BM_Matmul, f32_3x197x197_64, DataType::kFloat32, Shape{3, 197, 197},
                  Shape{3, 197, 64});
BENCHMARK_CAPTURE(BM_Matmul, f32_3x197x197_64_normalized, DataType::kFloat32, Shape{3, 197, 197},
                  Shape{3, 197, 64}, true);
BENCHMARK_CAPTURE(BM_Matmul, f32_256x256_256, DataType::kFloat32, Shape{256, 256}, Shape{256, 256});
// What `rounding: adaptive` computes of a layer of 64 3x3 windows: long sums over wide rows.
BENCHMARK_CAPTURE(BM_Matmul, f32_576x4096_576, DataType::kFloat32, Shape{576, 4096},
                  Shape{4096, 576});

}  // namespace
}  // namespace synap_internal
