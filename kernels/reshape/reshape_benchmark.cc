#include "kernels/reshape/reshape.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Reshape(benchmark::State& state, DataType dtype, const Shape& from,
                const std::vector<int64_t>& to) {
  BenchOp(state, ReshapeOps()[0], {.inputs = {{dtype, from}}, .attributes = {{"shape", to}}});
}

BENCHMARK_CAPTURE(BM_Reshape, u8_1x80x80x255, DataType::kUint8, Shape{1, 80, 80, 255},
                  {1, 6400, 3, 85});
BENCHMARK_CAPTURE(BM_Reshape, f32_1x80x80x255, DataType::kFloat32, Shape{1, 80, 80, 255},
                  {1, 6400, 3, 85});

}  // namespace
}  // namespace synap_internal
