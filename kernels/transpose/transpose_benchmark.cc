#include "kernels/transpose/transpose.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Transpose(benchmark::State& state, DataType dtype, const Shape& shape,
                  const std::vector<int64_t>& perm) {
  BenchOp(state, TransposeOps()[0], {.inputs = {{dtype, shape}}, .attributes = {{"perm", perm}}});
}

// An image to NHWC, a feature map to NCHW, a detector's head, a channel shuffle.
BENCHMARK_CAPTURE(BM_Transpose, u8_1x3x640x640, DataType::kUint8, Shape{1, 3, 640, 640},
                  {0, 2, 3, 1});
BENCHMARK_CAPTURE(BM_Transpose, u8_1x80x80x64, DataType::kUint8, Shape{1, 80, 80, 64},
                  {0, 3, 1, 2});
BENCHMARK_CAPTURE(BM_Transpose, f32_1x80x80x64, DataType::kFloat32, Shape{1, 80, 80, 64},
                  {0, 3, 1, 2});
BENCHMARK_CAPTURE(BM_Transpose, f32_1x3x85x80x80, DataType::kFloat32, Shape{1, 3, 85, 80, 80},
                  {0, 1, 3, 4, 2});
BENCHMARK_CAPTURE(BM_Transpose, u8_1x80x80x2x32, DataType::kUint8, Shape{1, 80, 80, 2, 32},
                  {0, 1, 2, 4, 3});
BENCHMARK_CAPTURE(BM_Transpose, f32_1x80x80x2x32, DataType::kFloat32, Shape{1, 80, 80, 2, 32},
                  {0, 1, 2, 4, 3});

}  // namespace
}  // namespace synap_internal
