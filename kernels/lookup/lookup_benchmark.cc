#include "kernels/lookup/lookup.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Lookup(benchmark::State& state, const Shape& shape) {
  BenchOp(state, LookupOps()[0],
          {.inputs = {{DataType::kUint8, shape, {}}, {DataType::kUint8, {256}, {}}}});
}

BENCHMARK_CAPTURE(BM_Lookup, 1x80x80x64, Shape({1, 80, 80, 64}));

}  // namespace
}  // namespace synap_internal
