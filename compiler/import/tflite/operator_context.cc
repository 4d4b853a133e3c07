#include "compiler/import/tflite/operator_context.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/status_macros.h"

namespace synap_internal::tflite_import {
namespace {

absl::Status NotConstant(absl::string_view what, const Tensor* tensor) {
  return absl::UnimplementedError(absl::StrCat("its ", what, " must be constant, but '",
                                               tensor->name,
                                               "' depends on the inputs of the network"));
}

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

const std::string& FirstOutput(const Model& model, const tflite::Operator& op) {
  return model.tensor_names[static_cast<size_t>(op.outputs()->Get(0))];
}

}  // namespace

void ImportState::Bind(int32_t index, Tensor* tensor) {
  const auto at = static_cast<size_t>(index);
  values[at] = tensor;
  builder.Name(tensor, model.tensor_names[at]);
}

OperatorContext::OperatorContext(const tflite::Operator& op, std::vector<Tensor*> inputs,
                                 ImportState& state)
    : OpEmitter(state.builder, FirstOutput(state.model, op), FirstOutput(state.model, op)),
      op_(op),
      inputs_(std::move(inputs)),
      state_(state) {}

absl::Status OperatorContext::ReadDeclared() {
  const int32_t output = op_.outputs()->Get(0);
  absl::StatusOr<TensorType> type = FlowType(state_.model.tensor(output));
  if (!type.ok()) return Annotate(type.status(), "its output");
  declared_ = *std::move(type);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> OperatorContext::ConstantInts(size_t i,
                                                                   absl::string_view what) const {
  const Tensor* tensor = input(i);
  if (!tensor->is_constant()) return NotConstant(what, tensor);
  if (tensor->type.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat("its ", what, " is ",
                                                   synap_internal::Name(tensor->type.dtype),
                                                   ", expected int32 or int64"));
  }
  const auto values = tensor->values<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

absl::StatusOr<int64_t> OperatorContext::ConstantInt(size_t i, absl::string_view what) const {
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, ConstantInts(i, what));
  if (values.size() == 1) return values[0];
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " has ", values.size(), " elements, expected 1"));
}

absl::StatusOr<float> OperatorContext::ConstantReal(size_t i, absl::string_view what) const {
  const Tensor* tensor = input(i);
  if (!tensor->is_constant()) return NotConstant(what, tensor);
  if (tensor->type.shape.elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its ", what, " has ", tensor->type.shape.elements(), " elements, expected 1"));
  }
  switch (tensor->type.dtype) {
    case DataType::kFloat32:
      return tensor->values<float>()[0];
    case DataType::kInt64:
      return static_cast<float>(tensor->values<int64_t>()[0]);
    default:
      if (!tensor->type.quant.quantized() || !HoldsActivations(tensor->type.dtype)) break;
      return reinterpret_cast<const float*>(Dequantized(*tensor).bytes.data())[0];
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "its ", what, " is ", synap_internal::Name(tensor->type.dtype), ", expected a number"));
}

absl::StatusOr<TensorData> OperatorContext::Stored(size_t i) {
  if (!input(i)->is_constant()) return NotConstant("bias", input(i));
  const int32_t index = op_.inputs()->Get(static_cast<uint32_t>(i));
  const tflite::Tensor& tensor = state_.model.tensor(index);
  if (!state_.model.HasData(tensor)) {
    return absl::UnimplementedError("its bias is computed");
  }
  return ReadConstant(state_.model, tensor, builder());
}

absl::StatusOr<Tensor*> OperatorContext::Float(Tensor* tensor) {
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

absl::StatusOr<Tensor*> OperatorContext::DoEmit(absl::string_view op,
                                                std::vector<Tensor*> op_inputs,
                                                Attributes attributes, absl::string_view suffix) {
  const bool quantized = op_inputs[0]->type.quant.quantized();
  ASSIGN_OR_RETURN(Tensor * result, builder().Emit(op, std::move(op_inputs), std::move(attributes),
                                                   Name(), Name(suffix), &declared_));
  if (!quantized || !HoldsActivations(result->type.dtype) || result->type.quant.quantized()) {
    return result;
  }
  return absl::InvalidArgumentError("its operands are quantized, but its output has no scale");
}

absl::StatusOr<Tensor*> OperatorContext::EmitActivated(absl::string_view op,
                                                       std::vector<Tensor*> op_inputs,
                                                       Attributes attributes,
                                                       tflite::Activation activation) {
  if (activation == tflite::Activation::NONE) {
    return Emit(op, std::move(op_inputs), std::move(attributes));
  }
  const std::optional<Clamp> clamp = ClampOf(activation);
  const bool quantized = op_inputs[0]->type.quant.quantized();
  if (ActivationOp(activation).empty() || (quantized && !clamp.has_value())) {
    return absl::UnimplementedError(
        absl::StrCat("its fused activation is ", tflite::EnumNameActivation(activation)));
  }
  if (quantized && HoldsClamp(op)) {
    attributes["min"] = clamp->min;
    attributes["max"] = clamp->max;
    return Emit(op, std::move(op_inputs), std::move(attributes));
  }
  ASSIGN_OR_RETURN(Tensor * linear,
                   Emit(op, std::move(op_inputs), std::move(attributes), ".linear"));
  Attributes bounds;
  if (ActivationOp(activation) == "clip") bounds = {{"min", clamp->min}, {"max", clamp->max}};
  return Emit(ActivationOp(activation), {linear}, std::move(bounds));
}

absl::StatusOr<Tensor*> OperatorContext::Converted(Tensor* tensor, const TensorType& declared) {
  const bool quantized = tensor->type.quant.quantized();
  const bool per_channel = tensor->type.quant.scheme == QuantScheme::kPerChannelSymmetric;
  if (declared.quant == tensor->type.quant || per_channel) return tensor;
  if (!declared.quant.quantized()) return Float(tensor);
  if (!quantized && tensor->type.dtype != DataType::kFloat32) return tensor;
  return builder().Emit(quantized ? "requantize" : "quantize", {tensor}, {}, Name(), Name(),
                        &declared);
}

absl::Status OperatorContext::SetOutput(size_t i, Tensor* tensor) {
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

absl::Status OperatorContext::SetOutput(absl::StatusOr<Tensor*> tensor) {
  if (!tensor.ok()) return tensor.status();
  return SetOutput(0, *tensor);
}

}  // namespace synap_internal::tflite_import
