#include "kernels/resize/resize.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Resize(benchmark::State& state, DataType dtype, const Shape& shape,
               const std::vector<int64_t>& size, const std::string& mode) {
  BenchOp(state, ResizeOps()[0],
          {.inputs = {{dtype, shape}}, .attributes = {{"size", size}, {"mode", mode}}});
}

BENCHMARK_CAPTURE(BM_Resize, nearest_u8_1x40x40x128, DataType::kUint8, Shape{1, 40, 40, 128},
                  {80, 80}, "nearest");
BENCHMARK_CAPTURE(BM_Resize, linear_u8_1x40x40x128, DataType::kUint8, Shape{1, 40, 40, 128},
                  {80, 80}, "linear");
BENCHMARK_CAPTURE(BM_Resize, linear_f32_1x40x40x128, DataType::kFloat32, Shape{1, 40, 40, 128},
                  {80, 80}, "linear");

}  // namespace
}  // namespace synap_internal
