#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/element_scales.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "base/visit_type.h"
#include "compiler/graph/graph.h"
#include "kernels/emulated_types.h"

namespace synap_internal {
namespace {

// Weights alone have a scale for each channel, and no kernel dequantizes them.
bool IsDequantizeByChannel(const Op& op) {
  const TensorType& x = op.inputs[0]->type;
  return op.Is(TypeConversion::kDequantize) && x.dtype == DataType::kInt8 &&
         x.quant.scheme == QuantScheme::kPerChannelSymmetric;
}

// 64-bit integers are biases, whose zero point is 0.
template <typename T>
Constant DequantizedAs(const Tensor& constant) {
  const QuantParams& quant = constant.type.quant;
  const ElementScales scales(quant, constant.type.shape);
  std::vector<float> values;
  for (const T q : constant.values<T>()) {
    const float scale = scales[values.size()];
    if constexpr (sizeof(T) > sizeof(int32_t)) {
      values.push_back(static_cast<float>(static_cast<double>(q) * static_cast<double>(scale)));
    } else {
      values.push_back(DequantizeValue(q, scale, quant.zero_point()));
    }
  }
  return Constant::Own(std::move(values));
}

}  // namespace

absl::Status CanRun(const Op& op, absl::Span<Tensor* const> operands,
                    absl::Span<const TensorType> outputs) {
  std::vector<TensorType> inputs;
  std::vector<const void*> constants;
  for (const Tensor* operand : operands) {
    inputs.push_back(operand == nullptr ? TensorType{} : operand->type);
    const bool constant = operand != nullptr && operand->is_constant();
    constants.push_back(constant ? operand->constant->bytes.data() : nullptr);
  }
  return PrepareOp(*op.def, {inputs, outputs, constants, op.attributes, KernelPath::kReference})
      .status();
}

Constant Dequantized(const Tensor& constant) {
  Constant real;
  const bool is_integer = VisitTypes<uint8_t, int8_t, int16_t, int32_t, int64_t>(
      constant.type.dtype, [&](auto zero) { real = DequantizedAs<decltype(zero)>(constant); });
  CHECK(is_integer);
  return real;
}

absl::StatusOr<std::vector<Constant>> EvaluateOp(const Op& op) {
  if (!op.inputs.empty() && op.inputs[0] != nullptr && IsDequantizeByChannel(op)) {
    return std::vector<Constant>{Dequantized(*op.inputs[0])};
  }
  const std::vector<TensorType> inputs = InputTypes(op), outputs = OutputTypes(op);
  std::vector<AlignedMemory> memory;
  std::vector<const void*> input_data;
  for (const Tensor* input : op.inputs) {
    if (input == nullptr) {
      input_data.push_back(nullptr);
      continue;
    }
    const auto bytes = input->constant->bytes;
    // Kernels that move elements take any address: weights that get another order needn't be in
    // memory a third time.
    if (MovesData(op) && !bytes.empty()) {
      input_data.push_back(bytes.data());
      continue;
    }
    memory.push_back(AlignedMemory::Allocate(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), memory.back().data());
    input_data.push_back(memory.back().data());
  }
  absl::StatusOr<Kernel> kernel =
      PrepareOp(*op.def, {inputs, outputs, input_data, op.attributes, KernelPath::kFast});
  if (!kernel.ok()) return Annotate(kernel.status(), op.Label());
  std::vector<AlignedMemory> output_memory;
  std::vector<void*> output_data;
  for (const TensorType& type : outputs) {
    output_memory.push_back(AlignedMemory::Allocate(static_cast<size_t>(type.bytes())));
    output_data.push_back(output_memory.back().data());
  }
  ThreadPool pool(1);
  const AlignedMemory scratch = AlignedMemory::Allocate(kernel->scratch_bytes);
  const AlignedMemory shared = AlignedMemory::Allocate(kernel->shared_bytes);
  kernel->run(
      {input_data, output_data, &pool, scratch.data(), kernel->scratch_bytes, shared.data()});
  std::vector<Constant> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto owner = std::make_shared<const AlignedMemory>(std::move(output_memory[i]));
    results.push_back({owner, {owner->data(), static_cast<size_t>(outputs[i].bytes())}});
  }
  return results;
}

absl::StatusOr<Constant> EvaluateFunction(const Op& op, std::vector<TypedConstant> operands,
                                          const TensorType& out) {
  Graph scratch;
  std::vector<Tensor*> inputs;
  for (TypedConstant& operand : operands) {
    inputs.push_back(scratch.AddConstant(absl::StrCat("operand", inputs.size()),
                                         std::move(operand.type), std::move(operand.values)));
  }
  ASSIGN_OR_RETURN(Op * function, scratch.AddInferredOp(op.def->name, std::move(inputs),
                                                        op.attributes, op.origins, "results"));
  function->output()->type.dtype = out.dtype;
  function->output()->type.quant = out.quant;
  ASSIGN_OR_RETURN(std::vector<Constant> results, EvaluateOp(*function));
  return std::move(results[0]);
}

}  // namespace synap_internal
