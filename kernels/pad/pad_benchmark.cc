#include "kernels/pad/pad.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Pad(benchmark::State& state, DataType dtype, const Shape& shape,
            const std::vector<int64_t>& pads, const std::string& mode) {
  BenchOp(state, PadOps()[0],
          {.inputs = {{dtype, shape}}, .attributes = {{"pads", pads}, {"mode", mode}}});
}

BENCHMARK_CAPTURE(BM_Pad, u8_1x112x112x32, DataType::kUint8, Shape{1, 112, 112, 32},
                  {0, 1, 1, 0, 0, 1, 1, 0}, "constant");
BENCHMARK_CAPTURE(BM_Pad, f32_1x112x112x32, DataType::kFloat32, Shape{1, 112, 112, 32},
                  {0, 1, 1, 0, 0, 1, 1, 0}, "reflect");

}  // namespace
}  // namespace synap_internal
