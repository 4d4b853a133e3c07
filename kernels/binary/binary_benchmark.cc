#include "kernels/binary/binary.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

TensorType Type(bool uint8, Shape shape) {
  if (!uint8) return {DataType::kFloat32, std::move(shape), {}};
  return {DataType::kUint8, std::move(shape), QuantParams::Affine(0.02f, 100)};
}

void BM_Binary(benchmark::State& state, size_t op, bool uint8, const Shape& a, const Shape& b) {
  BenchOp(state, BinaryOps()[op],
          {.inputs = {Type(uint8, a), Type(uint8, b)}, .outputs = {Type(uint8, {})}});
}

// A residual connection, a channel's scale, a scalar. Ops 0 and 2: add, mul.
const Shape kImage = {1, 80, 80, 64};
BENCHMARK_CAPTURE(BM_Binary, add_f32_same, 0, false, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, add_u8_same, 0, true, kImage, kImage);
BENCHMARK_CAPTURE(BM_Binary, mul_f32_channels, 2, false, kImage, Shape({64}));
BENCHMARK_CAPTURE(BM_Binary, mul_u8_channels, 2, true, kImage, Shape({64}));
BENCHMARK_CAPTURE(BM_Binary, mul_u8_scalar, 2, true, kImage, Shape());
BENCHMARK_CAPTURE(BM_Binary, mul_u8_pixels, 2, true, kImage, Shape({80, 80, 1}));

}  // namespace
}  // namespace synap_internal
