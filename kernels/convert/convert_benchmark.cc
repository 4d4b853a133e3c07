#include "kernels/convert/convert.h"

#include "benchmark/benchmark.h"
#include "kernels/testing/bench_op.h"

namespace synap_internal {
namespace {

void BM_Convert(benchmark::State& state, absl::string_view name, DataType from, DataType to) {
  const auto type = [](DataType dtype) {
    TensorType made{dtype, {1, 80, 80, 64}, {}};
    if (dtype != DataType::kFloat32) made.quant = QuantParams::Affine(0.02f, 100);
    return made;
  };
  for (const OpDef& op : ConvertOps()) {
    if (op.name == name) BenchOp(state, op, {.inputs = {type(from)}, .outputs = {type(to)}});
  }
}

BENCHMARK_CAPTURE(BM_Convert, quantize_u8, "quantize", DataType::kFloat32, DataType::kUint8);
BENCHMARK_CAPTURE(BM_Convert, dequantize_u8, "dequantize", DataType::kUint8, DataType::kFloat32);
BENCHMARK_CAPTURE(BM_Convert, requantize_u8, "requantize", DataType::kUint8, DataType::kUint8);
BENCHMARK_CAPTURE(BM_Convert, requantize_u8_i16, "requantize", DataType::kUint8, DataType::kInt16);

}  // namespace
}  // namespace synap_internal
