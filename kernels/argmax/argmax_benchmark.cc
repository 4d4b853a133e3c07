#include "kernels/argmax/argmax.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Argmax(benchmark::State& state, DataType type, const Shape& shape, int64_t axis) {
  BenchOp(state, ArgmaxOps()[0], {.inputs = {{type, shape, {}}}, .attributes = {{"axis", axis}}});
}

BENCHMARK_CAPTURE(BM_Argmax, f32_8400x80, DataType::kFloat32, Shape({8400, 80}), -1);
BENCHMARK_CAPTURE(BM_Argmax, u8_128x128x21, DataType::kUint8, Shape({1, 128, 128, 21}), -1);

}  // namespace
}  // namespace synap_internal
