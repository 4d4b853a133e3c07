#include "kernels/where/where.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Where(benchmark::State& state, DataType type, const Shape& shape) {
  BenchOp(state, WhereOps()[0],
          {.inputs = {{DataType::kBool, shape, {}}, {type, shape, {}}, {type, {}, {}}}});
}

BENCHMARK_CAPTURE(BM_Where, f32_80x80x64, DataType::kFloat32, Shape({80, 80, 64}));
BENCHMARK_CAPTURE(BM_Where, u8_80x80x64, DataType::kUint8, Shape({80, 80, 64}));

}  // namespace
}  // namespace synap_internal
