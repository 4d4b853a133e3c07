#include "kernels/binary/binary.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

TensorType Type(DataType type, Shape shape) {
  if (type == DataType::kFloat32) return {type, std::move(shape), {}};
  return {type, std::move(shape), QuantParams::Affine(0.02f, 100)};
}

void BM_Binary(benchmark::State& state, size_t op, DataType type, const Shape& a, const Shape& b) {
  BenchOp(state, BinaryOps()[op],
          {.inputs = {Type(type, a), Type(type, b)}, .outputs = {Type(type, {})}});
}

// A residual connection, a channel's scale, a scalar. Ops 0 and 2: add, mul.
const Shape kImage = {1, 80, 80, 64};
BENCHMARK_CAPTURE(BM_Binary, add_f32_same, 0, DataType::kFloat32, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, add_u8_same, 0, DataType::kUint8, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, add_i16_same, 0, DataType::kInt16, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, mul_i16_same, 2, DataType::kInt16, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, mul_i16_channels, 2, DataType::kInt16, kImage, Shape({64}));
BENCHMARK_CAPTURE(BM_Binary, mul_f32_channels, 2, DataType::kFloat32, kImage, Shape({64}));
BENCHMARK_CAPTURE(BM_Binary, mul_u8_channels, 2, DataType::kUint8, kImage, Shape({64}));
BENCHMARK_CAPTURE(BM_Binary, mul_u8_scalar, 2, DataType::kUint8, kImage, Shape());
BENCHMARK_CAPTURE(BM_Binary, mul_u8_pixels, 2, DataType::kUint8, kImage, Shape({80, 80, 1}));

}  // namespace
}  // namespace synap_internal
