#include "kernels/grid_sample/grid_sample.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_GridSample(benchmark::State& state, const Shape& x, const Shape& grid) {
  BenchOp(state, GridSampleOps()[0],
          {.inputs = {{DataType::kFloat32, x, {}}, {DataType::kFloat32, grid, {}}}});
}

// A spatial transformer, the points of a deformable transformer.
BENCHMARK_CAPTURE(BM_GridSample, f32_1x64x64x3, Shape({1, 64, 64, 3}), Shape({1, 64, 64, 2}));
BENCHMARK_CAPTURE(BM_GridSample, f32_8x80x80x32, Shape({8, 80, 80, 32}), Shape({8, 300, 4, 2}));

}  // namespace
}  // namespace synap_internal
