#include "kernels/prelu/prelu.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Prelu(benchmark::State& state, DataType type) {
  QuantParams quant;
  if (type == DataType::kUint8) quant = QuantParams::Affine(0.02f, 110);
  const TensorType x{type, {1, 80, 80, 64}, quant}, slope{type, {64}, quant};
  BenchOp(state, PreluOps()[0], {.inputs = {x, slope}, .constant = {false, true}, .outputs = {x}});
}

BENCHMARK_CAPTURE(BM_Prelu, f32_1x80x80x64, DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Prelu, u8_1x80x80x64, DataType::kUint8);

}  // namespace
}  // namespace synap_internal
