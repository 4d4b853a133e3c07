#include "kernels/normalization/normalization.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

TensorType TypeOf(DataType type, const Shape& shape) {
  if (type == DataType::kUint8) return {type, shape, QuantParams::Affine(0.05f, 128)};
  if (type == DataType::kInt16) return {type, shape, QuantParams::Affine(0.0002f, 0)};
  return {type, shape, {}};
}

void BM_Normalization(benchmark::State& state, DataType from, DataType to, const Shape& shape,
                      const std::vector<int64_t>& axes, const Shape& factors) {
  const TensorType factor{DataType::kFloat32, factors, {}};
  BenchOp(state, NormalizationOps()[0],
          {.inputs = {TypeOf(from, shape), factor, factor},
           .attributes = {{"axes", axes}, {"epsilon", 1e-5f}},
           .constant = {false, true, true},
           .outputs = {TypeOf(to, shape)}});
}

// LayerNorm of ViT-B, InstanceNorm of a style transfer, GroupNorm of 32 groups.
BENCHMARK_CAPTURE(BM_Normalization, f32_1x197x768, DataType::kFloat32, DataType::kFloat32,
                  Shape({1, 197, 768}), {2}, Shape({768}));
BENCHMARK_CAPTURE(BM_Normalization, s16_to_u8_1x197x768, DataType::kInt16, DataType::kUint8,
                  Shape({1, 197, 768}), {2}, Shape({768}));
BENCHMARK_CAPTURE(BM_Normalization, u8_1x56x56x96_last, DataType::kUint8, DataType::kUint8,
                  Shape({1, 56, 56, 96}), {3}, Shape({96}));
BENCHMARK_CAPTURE(BM_Normalization, f32_1x112x112x64, DataType::kFloat32, DataType::kFloat32,
                  Shape({1, 112, 112, 64}), {1, 2}, Shape({64}));
BENCHMARK_CAPTURE(BM_Normalization, s16_to_u8_1x112x112x64, DataType::kInt16, DataType::kUint8,
                  Shape({1, 112, 112, 64}), {1, 2}, Shape({64}));
BENCHMARK_CAPTURE(BM_Normalization, f32_1x32x10x1024, DataType::kFloat32, DataType::kFloat32,
                  Shape({1, 32, 10, 1024}), {2, 3}, Shape({32, 10, 1}));

}  // namespace
}  // namespace synap_internal
