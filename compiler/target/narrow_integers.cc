#include "compiler/target/narrow_integers.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "base/data_type.h"
#include "kernels/op_def.h"

namespace synap_internal {
namespace {

struct Operand {
  DataType dtype = DataType::kInvalid;  // kInvalid: absent
  bool is_narrow = false;
  OperandRole role = OperandRole::kActivation;

  bool is_int64() const { return role == OperandRole::kActivation && dtype == DataType::kInt64; }
};

bool HasNarrowResults(const OpDef& op, const Attributes& attributes,
                      absl::Span<const Operand> operands) {
  const auto is_wide = [](const Operand& operand) {
    return operand.is_int64() && !operand.is_narrow;
  };
  if (std::any_of(operands.begin(), operands.end(), is_wide)) return false;
  if (op.conversion != TypeConversion::kNone) {
    return !IsFloat(operands[0].dtype) && operands[0].dtype != DataType::kUint32;
  }
  // A pad moves its operand, and yet may add a value of its own.
  const bool picks = op.picks_values ? op.picks_values(attributes) : op.movement != Movement::kNone;
  return picks || std::none_of(operands.begin(), operands.end(),
                               [](const Operand& operand) { return operand.is_int64(); });
}

// Whether a constant of the type holds real integers, not steps of a quantizer, that fit.
bool IsNarrow(const TensorType& type, const void* values) {
  if (type.dtype != DataType::kInt64 || type.quant.quantized()) return false;
  constexpr std::numeric_limits<int32_t> kNarrow;
  const auto* const begin = static_cast<const int64_t*>(values);
  return std::all_of(begin, begin + type.shape.elements(), [&](int64_t value) {
    return value >= kNarrow.min() && value <= kNarrow.max();
  });
}

OperandRole RoleOf(const OpDef& op, size_t i) {
  return op.operands[std::min(i, op.operands.size() - 1)];
}

std::vector<TensorType> Held(const std::vector<Tensor*>& tensors, std::vector<TensorType> types,
                             const std::set<const Tensor*>& narrow) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (narrow.count(tensors[i]) > 0) types[i].dtype = DataType::kInt32;
  }
  return types;
}

}  // namespace

std::set<const Tensor*> NarrowIntegers(const Graph& graph) {
  std::set<const Tensor*> narrow;
  const auto add = [&narrow](const Tensor* tensor) {
    if (tensor->type.dtype == DataType::kInt64) narrow.insert(tensor);
  };
  for (const Tensor* input : graph.inputs) add(input);
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.is_constant() && IsNarrow(tensor.type, tensor.constant->bytes.data())) add(&tensor);
  }
  for (const Op& op : graph.ops()) {
    std::vector<Operand> operands;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor* tensor = op.inputs[i];
      if (tensor == nullptr) continue;
      operands.push_back({tensor->type.dtype, narrow.count(tensor) > 0, RoleOf(*op.def, i)});
    }
    if (!HasNarrowResults(*op.def, op.attributes, operands)) continue;
    for (const Tensor* output : op.outputs) add(output);
  }
  return narrow;
}

std::vector<bool> NarrowIntegers(const Program& program) {
  std::vector<bool> narrow(program.tensors.size());
  const auto type = [&](int32_t t) { return program.tensors[static_cast<size_t>(t)].type.dtype; };
  const auto add = [&](int32_t t) { narrow[static_cast<size_t>(t)] = type(t) == DataType::kInt64; };
  for (const int32_t input : program.inputs) add(input);
  for (size_t t = 0; t < narrow.size(); ++t) {
    const ProgramTensor& tensor = program.tensors[t];
    narrow[t] = narrow[t] || (tensor.place == Place::kConstant &&
                              IsNarrow(tensor.type, program.constants.data() + tensor.offset));
  }
  for (const Instruction& instruction : program.instructions) {
    std::vector<Operand> operands;
    for (size_t i = 0; i < instruction.inputs.size(); ++i) {
      const int32_t t = instruction.inputs[i];
      if (t < 0) continue;
      operands.push_back({type(t), narrow[static_cast<size_t>(t)], RoleOf(*instruction.op, i)});
    }
    if (!HasNarrowResults(*instruction.op, instruction.attributes, operands)) continue;
    for (const int32_t output : instruction.outputs) add(output);
  }
  return narrow;
}

std::vector<TensorType> HeldInputs(const Op& op, const std::set<const Tensor*>& narrow) {
  return Held(op.inputs, InputTypes(op), narrow);
}

std::vector<TensorType> HeldOutputs(const Op& op, const std::set<const Tensor*>& narrow) {
  return Held(op.outputs, OutputTypes(op), narrow);
}

}  // namespace synap_internal
