#include "kernels/conv_transpose2d/conv_transpose2d.h"

#include "benchmark/benchmark.h"
#include "kernels/shared/linear/linear_bench.h"

namespace synap_internal {
namespace {

void BM_ConvTranspose2d(benchmark::State& state, DataType dtype, const Shape& x, const Shape& w,
                        int64_t pad) {
  BenchOp(state, ConvTranspose2dOps()[0],
          LinearBench(dtype, x, w, w[0],
                      {{"strides", std::vector<int64_t>{2, 2}},
                       {"pads", std::vector<int64_t>{pad, pad, pad, pad}}}));
}

// Upsampling by 2 as in YOLOv8-seg's prototypes, U-Net and DCGAN.
BENCHMARK_CAPTURE(BM_ConvTranspose2d, u8_2x2_80x80x64, DataType::kUint8, {1, 80, 80, 64},
                  {64, 2, 2, 64}, 0);
BENCHMARK_CAPTURE(BM_ConvTranspose2d, u8_4x4_32x32x64, DataType::kUint8, {1, 32, 32, 64},
                  {32, 4, 4, 64}, 1);
BENCHMARK_CAPTURE(BM_ConvTranspose2d, f32_2x2_40x40x64, DataType::kFloat32, {1, 40, 40, 64},
                  {64, 2, 2, 64}, 0);

}  // namespace
}  // namespace synap_internal
