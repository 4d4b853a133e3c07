#include "kernels/unary/unary.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Unary(benchmark::State& state, absl::string_view name, DataType type) {
  TensorType image{type, {1, 80, 80, 64}, {}};
  if (type == DataType::kUint8) image.quant = QuantParams::Affine(0.05f, 128);
  if (type == DataType::kInt16) image.quant = QuantParams::Affine(0.0002f, 0);
  for (const OpDef& op : UnaryOps()) {
    if (op.name == name) BenchOp(state, op, {.inputs = {image}, .outputs = {image}});
  }
}

BENCHMARK_CAPTURE(BM_Unary, f32_relu, "relu", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_sigmoid, "sigmoid", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_silu, "silu", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_tanh, "tanh", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_gelu, "gelu", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_exp, "exp", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, f32_hard_swish, "hard_swish", DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Unary, i16_relu, "relu", DataType::kInt16);
BENCHMARK_CAPTURE(BM_Unary, i16_sigmoid, "sigmoid", DataType::kInt16);
BENCHMARK_CAPTURE(BM_Unary, u8_silu, "silu", DataType::kUint8);

}  // namespace
}  // namespace synap_internal
