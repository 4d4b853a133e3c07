#include "kernels/conv2d/conv2d.h"

#include "benchmark/benchmark.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/shared/linear/linear_bench.h"

namespace synap_internal {
namespace {

Attributes Window(const Shape& w, int64_t stride) {
  const int64_t pad = w[1] / 2;
  return {{"strides", std::vector<int64_t>{stride, stride}},
          {"pads", std::vector<int64_t>{pad, pad, pad, pad}}};
}

void BM_Conv2d(benchmark::State& state, DataType dtype, const Shape& x, const Shape& w,
               int64_t stride) {
  BenchOp(state, Conv2dOps()[0],
          LinearBench(dtype, x, w, w[0], Window(w, stride), dtype == DataType::kUint8));
}

void BM_Conv2d16x8(benchmark::State& state, const Shape& x, const Shape& w, int64_t stride) {
  BenchOp(state, Conv2dOps()[0], LinearBench16x8(x, w, 0, Window(w, stride)));
}

// Of int8 weights without zero points, before a ReLU.
void BM_Conv2dSymmetric(benchmark::State& state, const Shape& x, const Shape& w) {
  BenchOp(state, Conv2dOps()[0],
          LinearBench(DataType::kUint8, x, w, w[0], Window(w, 1), /*table=*/false, 128));
}

void BM_Conv2dWithoutVnni(benchmark::State& state, DataType dtype, const Shape& x, const Shape& w,
                          int64_t stride) {
  const WithoutCpuExtensions without;
  BM_Conv2d(state, dtype, x, w, stride);
}

void BM_Conv2dWithoutMatrices(benchmark::State& state, DataType dtype, const Shape& x,
                              const Shape& w, int64_t stride) {
  const WithoutMatrixUnit without;
  BM_Conv2d(state, dtype, x, w, stride);
}

// The last layer of a ResNet block, without and with the fused residual add.
void BM_Pointwise(benchmark::State& state, DataType dtype, bool residual) {
  const Shape x{1, 28, 28, 128};
  BenchCase bench = LinearBench(dtype, x, {512, 1, 1, 128}, 512);
  if (residual) {
    bench.inputs.resize(kResidual);
    bench.inputs.push_back({dtype, {1, 28, 28, 512}, bench.inputs[0].quant});
    bench.constant.resize(bench.inputs.size(), false);
    if (dtype != DataType::kFloat32) {
      bench.attributes["own_scale"] = 1.0f;
      bench.attributes["own_zero_point"] = int64_t{128};
    }
  }
  BenchOp(state, Conv2dOps()[0], bench);
}

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF16 = DataType::kFloat16;
constexpr DataType kI16 = DataType::kInt16;
constexpr DataType kU8 = DataType::kUint8;

// The stem and a pointwise layer of yolov5n-0.5-face at 640x640, bottlenecks of YOLOv5
// and YOLOv8n, the last pointwise layer of MobileNetV2, layers of ResNet's kind, and one of U-Net.
BENCHMARK_CAPTURE(BM_Conv2d, u8_3x3_56x56x128_128, kU8, {1, 56, 56, 128}, {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_1x1_28x28x256_512, kU8, {1, 28, 28, 256}, {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_1x1_56x56x64_256, kU8, {1, 56, 56, 64}, {256, 1, 1, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_3x3_14x14x256_256, kU8, {1, 14, 14, 256}, {256, 3, 3, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_3x3_7x7x512_512, kU8, {1, 7, 7, 512}, {512, 3, 3, 512}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_stem_640x640x3_16, kU8, {1, 640, 640, 3}, {16, 3, 3, 3}, 2);
BENCHMARK_CAPTURE(BM_Conv2d, u8_1x1_80x80x32_32, kU8, {1, 80, 80, 32}, {32, 1, 1, 32}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_3x3_40x40x64_64, kU8, {1, 40, 40, 64}, {64, 3, 3, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_3x3_160x160x16_16, kU8, {1, 160, 160, 16}, {16, 3, 3, 16}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_1x1_7x7x320_1280, kU8, {1, 7, 7, 320}, {1280, 1, 1, 320}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, u8_1x1_56x56x144_24, kU8, {1, 56, 56, 144}, {24, 1, 1, 144}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, i16_3x3_56x56x128_128, kI16, {1, 56, 56, 128}, {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, i16_1x1_28x28x256_512, kI16, {1, 28, 28, 256}, {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d16x8, 3x3_56x56x128_128, {1, 56, 56, 128}, {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2d16x8, 1x1_28x28x256_512, {1, 28, 28, 256}, {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d16x8, 1x1_112x112x16_96, {1, 112, 112, 16}, {96, 1, 1, 16}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f16_3x3_56x56x128_128, kF16, {1, 56, 56, 128}, {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f16_1x1_28x28x256_512, kF16, {1, 28, 28, 256}, {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_3x3_56x56x128_128, kF32, {1, 56, 56, 128}, {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_1x1_28x28x256_512, kF32, {1, 28, 28, 256}, {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_stem_640x640x3_16, kF32, {1, 640, 640, 3}, {16, 3, 3, 3}, 2);
BENCHMARK_CAPTURE(BM_Conv2d, f32_1x1_80x80x32_32, kF32, {1, 80, 80, 32}, {32, 1, 1, 32}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_1x1_56x56x64_256, kF32, {1, 56, 56, 64}, {256, 1, 1, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_3x3_40x40x64_64, kF32, {1, 40, 40, 64}, {64, 3, 3, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_3x3_256x256x64_32, kF32, {1, 256, 256, 64}, {32, 3, 3, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_1x1_56x56x144_24, kF32, {1, 56, 56, 144}, {24, 1, 1, 144}, 1);
BENCHMARK_CAPTURE(BM_Conv2d, f32_1x1_320x320x16_8, kF32, {1, 320, 320, 16}, {8, 1, 1, 16}, 1);
BENCHMARK_CAPTURE(BM_Conv2dSymmetric, 3x3_56x56x128_128, {1, 56, 56, 128}, {128, 3, 3, 128});
BENCHMARK_CAPTURE(BM_Conv2dSymmetric, 3x3_14x14x256_256, {1, 14, 14, 256}, {256, 3, 3, 256});
BENCHMARK_CAPTURE(BM_Conv2dSymmetric, 3x3_7x7x512_512, {1, 7, 7, 512}, {512, 3, 3, 512});
BENCHMARK_CAPTURE(BM_Conv2dSymmetric, 1x1_28x28x256_512, {1, 28, 28, 256}, {512, 1, 1, 256});
BENCHMARK_CAPTURE(BM_Conv2dSymmetric, 1x1_56x56x64_256, {1, 56, 56, 64}, {256, 1, 1, 64});
BENCHMARK_CAPTURE(BM_Pointwise, u8, kU8, false);
BENCHMARK_CAPTURE(BM_Pointwise, u8_residual, kU8, true);
BENCHMARK_CAPTURE(BM_Pointwise, i16, kI16, false);
BENCHMARK_CAPTURE(BM_Pointwise, i16_residual, kI16, true);
BENCHMARK_CAPTURE(BM_Pointwise, f32, kF32, false);
BENCHMARK_CAPTURE(BM_Pointwise, f32_residual, kF32, true);
BENCHMARK_CAPTURE(BM_Conv2dWithoutMatrices, u8_3x3_56x56x128_128, kU8, {1, 56, 56, 128},
                  {128, 3, 3, 128}, 1);
BENCHMARK_CAPTURE(BM_Conv2dWithoutMatrices, u8_1x1_28x28x256_512, kU8, {1, 28, 28, 256},
                  {512, 1, 1, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2dWithoutMatrices, u8_1x1_56x56x64_256, kU8, {1, 56, 56, 64},
                  {256, 1, 1, 64}, 1);
BENCHMARK_CAPTURE(BM_Conv2dWithoutMatrices, u8_3x3_14x14x256_256, kU8, {1, 14, 14, 256},
                  {256, 3, 3, 256}, 1);
BENCHMARK_CAPTURE(BM_Conv2dWithoutMatrices, u8_3x3_7x7x512_512, kU8, {1, 7, 7, 512},
                  {512, 3, 3, 512}, 1);
BENCHMARK_CAPTURE(BM_Conv2dWithoutVnni, u8_3x3_40x40x64_64, kU8, {1, 40, 40, 64}, {64, 3, 3, 64},
                  1);

}  // namespace
}  // namespace synap_internal
