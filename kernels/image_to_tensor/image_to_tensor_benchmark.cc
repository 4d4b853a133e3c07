#include "kernels/image_to_tensor/image_to_tensor.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

// A picture of 1920x1080 to a network of 640x640 that is uint8 from 0 to 1, or float32.
void BM_ImageToTensor(benchmark::State& state, const std::string& type,
                      const std::vector<Shape>& planes, DataType out) {
  BenchCase bench;
  for (const Shape& plane : planes) bench.inputs.push_back({DataType::kUint8, plane, {}});
  bench.attributes = {
      {"type", type}, {"size", std::vector<int64_t>{640, 640}}, {"scale", std::vector<float>{255}}};
  const bool quantized = out == DataType::kUint8;
  bench.outputs = {{out, {}, quantized ? QuantParams::Affine(1 / 255.0f, 0) : QuantParams()}};
  BenchOp(state, ImageToTensorOps()[0], bench);
}

const std::vector<Shape> kNv12 = {{1, 1080, 1920, 1}, {1, 540, 960, 2}};
const std::vector<Shape> kYuv420 = {{1, 1080, 1920, 1}, {1, 540, 960, 1}, {1, 540, 960, 1}};
const std::vector<Shape> kRgb = {{1, 1080, 1920, 3}};

BENCHMARK_CAPTURE(BM_ImageToTensor, nv12_1080p_u8_640, "nv12", kNv12, DataType::kUint8);
BENCHMARK_CAPTURE(BM_ImageToTensor, nv12_1080p_f32_640, "nv12", kNv12, DataType::kFloat32);
BENCHMARK_CAPTURE(BM_ImageToTensor, yuv420_1080p_u8_640, "yuv420", kYuv420, DataType::kUint8);
BENCHMARK_CAPTURE(BM_ImageToTensor, rgb_1080p_u8_640, "rgb", kRgb, DataType::kUint8);

}  // namespace
}  // namespace synap_internal
