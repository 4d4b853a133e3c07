#include "kernels/top_k/top_k.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_TopK(benchmark::State& state, const Shape& shape, int64_t k) {
  BenchOp(state, TopKOps()[0],
          {.inputs = {{DataType::kFloat32, shape, {}}}, .attributes = {{"k", k}}});
}

// Classes of an image, boxes of a detector.
BENCHMARK_CAPTURE(BM_TopK, f32_1000_k5, Shape({1, 1000}), 5);
BENCHMARK_CAPTURE(BM_TopK, f32_8400_k300, Shape({1, 8400}), 300);

}  // namespace
}  // namespace synap_internal
