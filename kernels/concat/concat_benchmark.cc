#include "kernels/concat/concat.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Concat(benchmark::State& state, const std::vector<TensorType>& inputs, int64_t axis,
               const QuantParams& quant) {
  BenchOp(state, ConcatOps()[0],
          {.inputs = inputs,
           .attributes = {{"axis", axis}},
           .outputs = {{inputs[0].dtype, {}, quant}}});
}

const QuantParams kOne = QuantParams::Affine(0.05f, 100);
const QuantParams kOther = QuantParams::Affine(0.03f, 7);
const Shape kFeatures = {1, 80, 80, 64};

// A CSP block (copied, and with one operand requantized), a detector's head.
BENCHMARK_CAPTURE(BM_Concat, u8_1x80x80x64_twice,
                  {{DataType::kUint8, kFeatures, kOne}, {DataType::kUint8, kFeatures, kOne}}, 3,
                  kOne);
BENCHMARK_CAPTURE(BM_Concat, u8_1x80x80x64_requantized,
                  {{DataType::kUint8, kFeatures, kOne}, {DataType::kUint8, kFeatures, kOther}}, 3,
                  kOne);
BENCHMARK_CAPTURE(BM_Concat, f32_1x8400x64_and_1x8400x1,
                  {{DataType::kFloat32, {1, 8400, 64}}, {DataType::kFloat32, {1, 8400, 1}}}, 2,
                  QuantParams());

}  // namespace
}  // namespace synap_internal
