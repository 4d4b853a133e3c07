#include "kernels/depthwise_conv2d/depthwise_conv2d.h"

#include "benchmark/benchmark.h"
#include "kernels/shared/linear/linear_bench.h"

namespace synap_internal {
namespace {

void BM_Depthwise(benchmark::State& state, DataType dtype, const Shape& x, int64_t taps,
                  int64_t stride) {
  const int64_t pad = taps / 2;
  BenchOp(state, DepthwiseConv2dOps()[0],
          LinearBench(dtype, x, {1, taps, taps, x[3]}, x[3],
                      {{"strides", std::vector<int64_t>{stride, stride}},
                       {"pads", std::vector<int64_t>{pad, pad, pad, pad}}}));
}

void BM_Depthwise16x8(benchmark::State& state, const Shape& x) {
  BenchOp(state, DepthwiseConv2dOps()[0],
          LinearBench16x8(x, {1, 3, 3, x[3]}, 3, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}));
}

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kU8 = DataType::kUint8;

// Blocks of yolov5n-0.5-face at 640x640, and of MobileNetV3.
BENCHMARK_CAPTURE(BM_Depthwise, u8_80x80x32, kU8, {1, 80, 80, 32}, 3, 1);
BENCHMARK_CAPTURE(BM_Depthwise, u8_80x80x32_stride2, kU8, {1, 80, 80, 32}, 3, 2);
BENCHMARK_CAPTURE(BM_Depthwise, u8_5x5_14x14x240, kU8, {1, 14, 14, 240}, 5, 1);
BENCHMARK_CAPTURE(BM_Depthwise16x8, 56x56x144, {1, 56, 56, 144});
BENCHMARK_CAPTURE(BM_Depthwise, f32_80x80x32, kF32, {1, 80, 80, 32}, 3, 1);
BENCHMARK_CAPTURE(BM_Depthwise, f32_80x80x32_stride2, kF32, {1, 80, 80, 32}, 3, 2);
BENCHMARK_CAPTURE(BM_Depthwise, f32_56x56x144, kF32, {1, 56, 56, 144}, 3, 1);
BENCHMARK_CAPTURE(BM_Depthwise, f32_14x14x384, kF32, {1, 14, 14, 384}, 3, 1);
BENCHMARK_CAPTURE(BM_Depthwise, f32_5x5_14x14x240, kF32, {1, 14, 14, 240}, 5, 1);

}  // namespace
}  // namespace synap_internal
