#include "kernels/testing/bench_op.h"

#include <algorithm>
#include <utility>

#include "base/aligned_memory.h"
#include "base/check.h"
#include "kernels/emulated_types.h"
#include "kernels/testing/conformance.h"
#include "kernels/testing/machine_limits.h"

namespace synap_internal {
namespace {

double Bytes(absl::Span<const TensorType> types) {
  double bytes = 0;
  for (const TensorType& type : types)
    bytes += type.present() ? static_cast<double>(type.bytes()) : 0;
  return bytes;
}

// What the machine can do at most, in the unit of `done` below. Matrix registers multiply bytes
// alone.
double Peak(const TensorType& x, const OpCost& cost, double bytes) {
  if (cost.macs == 0) return CopyPeak(static_cast<size_t>(bytes));
  if (!x.quant.quantized()) return FloatPeak();
  return SizeOf(x.dtype) == 1 ? std::max(BytePeak(), MatrixPeak()) : BytePeak();
}

void Report(benchmark::State& state, const OpDef& op, absl::Span<const TensorType> inputs,
            absl::Span<const TensorType> outputs) {
  using benchmark::Counter;
  const double iterations = static_cast<double>(state.iterations());
  const OpCost cost = op.cost == nullptr ? OpCost{} : op.cost(inputs, outputs);
  const double ops = 2.0 * static_cast<double>(cost.macs) + static_cast<double>(cost.ops);
  if (ops > 0) state.counters["OP/s"] = Counter(ops * iterations, Counter::kIsRate);
  const double bytes = Bytes(inputs) + Bytes(outputs);
  state.counters["B/s"] = Counter(bytes * iterations, Counter::kIsRate);
  const double done = cost.macs > 0 ? 2.0 * static_cast<double>(cost.macs) : bytes;
  state.counters["limit"] =
      Counter(done / Peak(inputs[0], cost, bytes) * iterations, Counter::kIsRate);
}

bool IsConstant(const BenchCase& bench_case, size_t operand) {
  return operand < bench_case.constant.size() && bench_case.constant[operand];
}

// Gives 8-bit weights the shape of trained ones, most of them small: kernels may be
// faster for that. Means of three: of 64 weights minus their zero point, about one
// in a hundred has one that no int8 holds, as in the convolutions of real networks.
void ShapeAsWeights(TestTensor& tensor, TestRandom& random) {
  if (tensor.type().dtype != DataType::kUint8 || !tensor.type().quant.quantized()) return;
  auto* values = static_cast<uint8_t*>(tensor.data());
  for (int64_t i = 0; i < tensor.type().shape.elements(); ++i) {
    const int64_t sum = values[i] + random.Integer(0, 255) + random.Integer(0, 255);
    values[i] = static_cast<uint8_t>(sum / 3);
  }
}

}  // namespace

void BenchOp(benchmark::State& state, const OpDef& op, const BenchCase& bench_case) {
  absl::StatusOr<std::vector<TensorType>> inferred =
      InferOp(op, {bench_case.inputs, bench_case.attributes});
  if (!inferred.ok()) return state.SkipWithError(inferred.status().ToString().c_str());
  std::vector<TensorType> output_types = *std::move(inferred);
  for (size_t i = 0; i < bench_case.outputs.size(); ++i) {
    output_types[i].dtype = bench_case.outputs[i].dtype;
    output_types[i].quant = bench_case.outputs[i].quant;
  }
  TestRandom random(1);
  std::vector<TestTensor> inputs, outputs;
  std::vector<const void*> input_data, constants;
  std::vector<void*> output_data;
  for (const TensorType& type : bench_case.inputs) {
    inputs.push_back(type.present() ? RandomTensor(type, random) : TestTensor());
    if (IsConstant(bench_case, inputs.size() - 1)) ShapeAsWeights(inputs.back(), random);
  }
  for (const TensorType& type : output_types) outputs.emplace_back(type);
  for (size_t i = 0; i < inputs.size(); ++i) {
    input_data.push_back(inputs[i].data());
    constants.push_back(IsConstant(bench_case, i) ? inputs[i].data() : nullptr);
  }
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  absl::StatusOr<Kernel> kernel = PrepareOp(
      op, {bench_case.inputs, output_types, constants, bench_case.attributes, KernelPath::kFast});
  if (!kernel.ok()) return state.SkipWithError(kernel.status().ToString().c_str());
  ThreadPool pool(1);
  const AlignedMemory scratch = AlignedMemory::Allocate(kernel->scratch_bytes);
  const AlignedMemory shared = AlignedMemory::Allocate(kernel->shared_bytes);
  for (auto _ : state) {
    kernel->run(
        {input_data, output_data, &pool, scratch.data(), kernel->scratch_bytes, shared.data()});
    benchmark::ClobberMemory();
  }
  Report(state, op, bench_case.inputs, output_types);
}

}  // namespace synap_internal
