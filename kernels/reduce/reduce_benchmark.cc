#include "kernels/reduce/reduce.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_ReduceMean(benchmark::State& state, DataType type, const Shape& shape,
                   const std::vector<int64_t>& axes) {
  TensorType x{type, shape, {}};
  if (type == DataType::kUint8) x.quant = QuantParams::Affine(0.05f, 128);
  BenchOp(state, ReduceOps()[0], {.inputs = {x}, .attributes = {{"axes", axes}}, .outputs = {x}});
}

const std::vector<int64_t> kPlane = {1, 2};
const std::vector<int64_t> kLast = {-1};

// Global average pooling of MobileNet and of a squeeze-and-excite block; a normalization.
BENCHMARK_CAPTURE(BM_ReduceMean, f32_1x7x7x1280, DataType::kFloat32, Shape({1, 7, 7, 1280}),
                  kPlane);
BENCHMARK_CAPTURE(BM_ReduceMean, u8_1x7x7x1280, DataType::kUint8, Shape({1, 7, 7, 1280}), kPlane);
BENCHMARK_CAPTURE(BM_ReduceMean, f32_1x56x56x72, DataType::kFloat32, Shape({1, 56, 56, 72}),
                  kPlane);
BENCHMARK_CAPTURE(BM_ReduceMean, u8_1x56x56x72, DataType::kUint8, Shape({1, 56, 56, 72}), kPlane);
BENCHMARK_CAPTURE(BM_ReduceMean, f32_400x256_rows, DataType::kFloat32, Shape({400, 256}), kLast);

}  // namespace
}  // namespace synap_internal
