#include "compiler/import/tflite/operator_context.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/status_macros.h"

namespace synap_internal::tflite_import {
namespace {

// The activations that are a clamp.
std::optional<Clamp> ClampOf(tflite::Activation activation) {
  switch (activation) {
    case tflite::Activation::RELU:
      return Clamp{0, std::numeric_limits<float>::infinity()};
    case tflite::Activation::RELU_N1_TO_1:
      return Clamp{-1, 1};
    case tflite::Activation::RELU6:
      return Clamp{0, 6};
    default:
      return std::nullopt;
  }
}

absl::string_view ActivationOp(tflite::Activation activation) {
  switch (activation) {
    case tflite::Activation::RELU:
      return "relu";
    case tflite::Activation::RELU_N1_TO_1:
      return "clip";
    case tflite::Activation::RELU6:
      return "relu6";
    case tflite::Activation::TANH:
      return "tanh";
    default:
      return "";
  }
}

bool HoldsClamp(absl::string_view op) {
  constexpr absl::string_view kOps[] = {
      "conv2d", "depthwise_conv2d", "conv_transpose2d", "fully_connected", "add", "sub", "mul"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

std::string FirstOutput(const ImportState& state, const tflite::Operator& op) {
  const auto output = static_cast<size_t>(op.outputs()->Get(0));
  return absl::StrCat(state.prefix, state.model.tensor_names[output]);
}

}  // namespace

void ImportState::Bind(int32_t index, Tensor* tensor) {
  const auto at = static_cast<size_t>(index);
  values[at] = tensor;
  if (depth == 0) builder.Name(tensor, model.tensor_names[at]);
}

OperatorContext::OperatorContext(const tflite::Operator& op, std::vector<Tensor*> inputs,
                                 ImportState& state)
    : OperandContext(state.builder, FirstOutput(state, op), FirstOutput(state, op),
                     std::move(inputs)),
      op_(op),
      state_(state) {}

absl::Status OperatorContext::ReadDeclared() {
  const int32_t output = op_.outputs()->Get(0);
  absl::StatusOr<TensorType> type = FlowType(state_.model.tensor(output));
  if (!type.ok()) return Annotate(type.status(), "its output");
  declared_ = *std::move(type);
  return absl::OkStatus();
}

absl::StatusOr<TensorData> OperatorContext::Stored(size_t i) {
  if (!input(i)->is_constant()) return NotConstant("bias", *input(i));
  const int32_t index = op_.inputs()->Get(static_cast<uint32_t>(i));
  const tflite::Tensor& tensor = state_.model.tensor(index);
  if (!state_.model.HasData(tensor)) {
    return absl::UnimplementedError("its bias is computed");
  }
  return ReadConstant(state_.model, tensor, builder());
}

Emitted OperatorContext::Float(Tensor* tensor) {
  if (!tensor->type.quant.quantized()) return tensor;
  if (!tensor->is_constant()) {
    return builder().Emit("dequantize", {tensor}, {}, Name(),
                          absl::StrCat(tensor->name, ".float32"));
  }
  const int64_t elements = tensor->type.shape.elements();
  RETURN_IF_ERROR(builder().Charge(elements * static_cast<int64_t>(sizeof(float))));
  return builder().graph().AddConstant(absl::StrCat(tensor->name, ".float32"),
                                       {DataType::kFloat32, tensor->type.shape, {}},
                                       Dequantized(*tensor));
}

absl::StatusOr<TensorType> OperatorContext::OperandType(size_t i) const {
  const auto operands = Elements(op_.inputs());
  if (i < operands.size() && operands[i] >= 0) return FlowType(state_.model.tensor(operands[i]));
  return absl::InvalidArgumentError(absl::StrCat("operand ", i, " is absent, expected a tensor"));
}

absl::Status OperatorContext::SetState(size_t i, const Emitted& tensor) {
  RETURN_IF_ERROR(tensor.status());
  const auto operands = Elements(op_.inputs());
  if (i >= operands.size()) return absl::OkStatus();
  const std::vector<Model::State>& states = state_.model.states;
  for (size_t k = 0; k < states.size(); ++k) {
    if (states[k].tensor != operands[i] || !state_.wanted_states[k]) continue;
    ASSIGN_OR_RETURN(const TensorType declared, OperandType(i));
    ASSIGN_OR_RETURN(state_.values[state_.model.tensor_names.size() + k],
                     Converted(*tensor, declared));
  }
  return absl::OkStatus();
}

Emitted OperatorContext::DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs,
                                Attributes attributes, absl::string_view suffix) {
  const bool quantized = op_inputs[0]->type.quant.quantized();
  ASSIGN_OR_RETURN(Tensor * result, builder().Emit(op, std::move(op_inputs), std::move(attributes),
                                                   Name(), Name(suffix), &declared_));
  if (!quantized || !HoldsActivations(result->type.dtype) || result->type.quant.quantized()) {
    return result;
  }
  return absl::InvalidArgumentError("its operands are quantized, but its output has no scale");
}

Emitted OperatorContext::EmitActivated(absl::string_view op, OpInputs op_inputs,
                                       Attributes attributes, tflite::Activation activation) {
  if (activation == tflite::Activation::NONE) {
    return Emit(op, std::move(op_inputs), std::move(attributes));
  }
  RETURN_IF_ERROR(op_inputs.tensors.status());
  const std::optional<Clamp> clamp = ClampOf(activation);
  const bool quantized = op_inputs.tensors->front()->type.quant.quantized();
  if (ActivationOp(activation).empty() || (quantized && !clamp.has_value())) {
    return absl::UnimplementedError(
        absl::StrCat("its fused activation is ", tflite::EnumNameActivation(activation)));
  }
  if (quantized && HoldsClamp(op)) {
    attributes["min"] = clamp->min;
    attributes["max"] = clamp->max;
    return Emit(op, std::move(op_inputs), std::move(attributes));
  }
  const Emitted linear = Emit(op, std::move(op_inputs), std::move(attributes), ".linear");
  Attributes bounds;
  if (ActivationOp(activation) == "clip") bounds = {{"min", clamp->min}, {"max", clamp->max}};
  return Emit(ActivationOp(activation), {linear}, std::move(bounds));
}

Emitted OperatorContext::Converted(Tensor* tensor, const TensorType& declared) {
  const bool quantized = tensor->type.quant.quantized();
  const bool per_channel = tensor->type.quant.scheme == QuantScheme::kPerChannelSymmetric;
  if (declared.quant == tensor->type.quant || per_channel) return tensor;
  if (!declared.quant.quantized()) return Float(tensor);
  if (!quantized && tensor->type.dtype != DataType::kFloat32) return tensor;
  return builder().Emit(quantized ? "requantize" : "quantize", {tensor}, {}, Name(), Name(),
                        &declared);
}

absl::Status OperatorContext::BindOutput(size_t i, Tensor* tensor) {
  if (i >= output_count()) return absl::OkStatus();
  const int32_t index = op_.outputs()->Get(static_cast<uint32_t>(i));
  // An input of the network stays what it is, also if the operator has other outputs.
  if (state_.values[static_cast<size_t>(index)] != nullptr) return absl::OkStatus();
  absl::StatusOr<TensorType> declared = FlowType(state_.model.tensor(index));
  if (!declared.ok()) return Annotate(declared.status(), absl::StrCat("its output ", i));
  ASSIGN_OR_RETURN(Tensor * converted, Converted(tensor, *declared));
  state_.Bind(index, converted);
  return absl::OkStatus();
}

}  // namespace synap_internal::tflite_import
