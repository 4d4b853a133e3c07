#include "kernels/cumsum/cumsum.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Cumsum(benchmark::State& state, const Shape& shape, int64_t axis) {
  BenchOp(state, CumsumOps()[0],
          {.inputs = {{DataType::kFloat32, shape, {}}}, .attributes = {{"axis", axis}}});
}

// Position encodings of a detection transformer.
BENCHMARK_CAPTURE(BM_Cumsum, f32_1x25x34_rows, Shape({1, 25, 34}), 1);
BENCHMARK_CAPTURE(BM_Cumsum, f32_128x1024, Shape({128, 1024}), 1);

}  // namespace
}  // namespace synap_internal
