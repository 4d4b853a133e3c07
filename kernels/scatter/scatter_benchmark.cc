#include "kernels/scatter/scatter.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Scatter(benchmark::State& state, const Shape& x, int64_t count) {
  std::vector<int64_t> updates = x.dims();
  updates[0] = count;
  BenchOp(state, ScatterOps()[0],
          {.inputs = {{DataType::kFloat32, x, {}},
                      {DataType::kInt64, {count}, {}},
                      {DataType::kFloat32, Shape(updates), {}}}});
}

// Random indices are 0 to 7. Box coordinates put back, rows of a cache.
BENCHMARK_CAPTURE(BM_Scatter, f32_33600, Shape({33600}), 8400);
BENCHMARK_CAPTURE(BM_Scatter, f32_1024x64, Shape({1024, 64}), 32);

}  // namespace
}  // namespace synap_internal
