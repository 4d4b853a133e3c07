#include "kernels/fully_connected/fully_connected.h"

#include <vector>

#include "benchmark/benchmark.h"
#include "kernels/shared/linear/linear_bench.h"

namespace synap_internal {
namespace {

void BM_FullyConnected(benchmark::State& state, DataType dtype, const Shape& x, const Shape& w) {
  BenchOp(state, FullyConnectedOps()[0], LinearBench(dtype, x, w, w[0]));
}

// The classifiers of MobileNetV2 and ResNet-50, a projection of a transformer.
BENCHMARK_CAPTURE(BM_FullyConnected, u8_1x1280_1000, DataType::kUint8, {1, 1280}, {1000, 1280});
BENCHMARK_CAPTURE(BM_FullyConnected, f32_1x1280_1000, DataType::kFloat32, {1, 1280}, {1000, 1280});
BENCHMARK_CAPTURE(BM_FullyConnected, f32_197x192_768, DataType::kFloat32, {197, 192}, {768, 192});
BENCHMARK_CAPTURE(BM_FullyConnected, u8_1x2048_1000, DataType::kUint8, {1, 2048}, {1000, 2048});
BENCHMARK_CAPTURE(BM_FullyConnected, u8_197x192_576, DataType::kUint8, {197, 192}, {576, 192});

// The last layer of a transformer's block, whose results are added to a stream of 16 bits.
void BM_ToInt16(benchmark::State& state, const Shape& x, const Shape& w) {
  BenchCase bench = LinearBench(DataType::kUint8, x, w, w[0]);
  bench.outputs = {{DataType::kInt16, {}, QuantParams::Affine(1.0f / 256, 0)}};
  BenchOp(state, FullyConnectedOps()[0], std::move(bench));
}
BENCHMARK_CAPTURE(BM_FullyConnected, u8_197x768_192, DataType::kUint8, {197, 768}, {192, 768});
BENCHMARK_CAPTURE(BM_ToInt16, u8_197x768_192, {197, 768}, {192, 768});
BENCHMARK_CAPTURE(BM_FullyConnected, i16_197x768_192, DataType::kInt16, {197, 768}, {192, 768});

// A layer whose operand has outliers: values of 16 bits by weights of 8.
void BM_ByteWeights(benchmark::State& state, const Shape& x, const Shape& w) {
  BenchCase bench = LinearBench(DataType::kInt16, x, w, w[0]);
  const std::vector<float> scales(static_cast<size_t>(w[0]), 0.001f);
  bench.inputs[1] = {DataType::kInt8, w, QuantParams::PerChannel(scales, 0)};
  BenchOp(state, FullyConnectedOps()[0], std::move(bench));
}
BENCHMARK_CAPTURE(BM_ByteWeights, i16_197x768_192, {197, 768}, {192, 768});

}  // namespace
}  // namespace synap_internal
