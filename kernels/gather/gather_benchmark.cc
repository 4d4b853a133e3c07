#include "kernels/gather/gather.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Gather(benchmark::State& state, DataType dtype, const Shape& shape, int64_t count,
               int64_t axis) {
  BenchOp(
      state, GatherOps()[0],
      {.inputs = {{dtype, shape}, {DataType::kInt64, {count}}}, .attributes = {{"axis", axis}}});
}

// Random indices are 0 to 7. Channel shuffling, an embedding.
BENCHMARK_CAPTURE(BM_Gather, u8_1x28x28x116, DataType::kUint8, Shape{1, 28, 28, 116}, 116, 3);
BENCHMARK_CAPTURE(BM_Gather, f32_1000x256, DataType::kFloat32, Shape{1000, 256}, 128, 0);

}  // namespace
}  // namespace synap_internal
