#include "kernels/softmax/softmax.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Softmax(benchmark::State& state, DataType type, const Shape& shape, int64_t axis) {
  TensorType x{type, shape, {}}, out{type, shape, {}};
  if (type == DataType::kUint8) {
    x.quant = QuantParams::Affine(0.05f, 128);
    out.quant = QuantParams::Affine(1 / 255.0f, 0);
  }
  BenchOp(state, SoftmaxOps()[0],
          {.inputs = {x}, .attributes = {{"axis", axis}}, .outputs = {out}});
}

// A classifier's end, two scores for each box, the boxes of YOLOv8.
BENCHMARK_CAPTURE(BM_Softmax, f32_1x1000, DataType::kFloat32, Shape({1, 1000}), -1);
BENCHMARK_CAPTURE(BM_Softmax, f32_1x4420x2, DataType::kFloat32, Shape({1, 4420, 2}), -1);
BENCHMARK_CAPTURE(BM_Softmax, u8_1x4420x2, DataType::kUint8, Shape({1, 4420, 2}), -1);
BENCHMARK_CAPTURE(BM_Softmax, f32_1x16x4x8400, DataType::kFloat32, Shape({1, 16, 4, 8400}), 1);
BENCHMARK_CAPTURE(BM_Softmax, u8_1x4x8400x16, DataType::kUint8, Shape({1, 4, 8400, 16}), -1);

}  // namespace
}  // namespace synap_internal
