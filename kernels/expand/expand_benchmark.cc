#include "kernels/expand/expand.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Expand(benchmark::State& state, DataType dtype, const Shape& from,
               const std::vector<int64_t>& to) {
  BenchOp(state, ExpandOps()[0], {.inputs = {{dtype, from}}, .attributes = {{"shape", to}}});
}

BENCHMARK_CAPTURE(BM_Expand, u8_1x1x1x64, DataType::kUint8, Shape{1, 1, 1, 64}, {1, 80, 80, 64});
BENCHMARK_CAPTURE(BM_Expand, f32_1x80x80x1, DataType::kFloat32, Shape{1, 80, 80, 1},
                  {1, 80, 80, 64});

}  // namespace
}  // namespace synap_internal
