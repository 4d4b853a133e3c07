#include "compiler/import/tensorflow/node_context.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/window.h"

namespace synap_internal::tensorflow_import {
namespace {

using tensorflow::AttrValue;

absl::Status NotConstant(absl::string_view what, const Tensor* tensor) {
  return absl::UnimplementedError(absl::StrCat("its ", what, " must be constant, but '",
                                               tensor->name,
                                               "' depends on the inputs of the network"));
}

}  // namespace

void ImportState::Bind(const Value& value, Tensor* tensor) {
  values[value] = tensor;
  builder.Name(tensor, graph.NameOf(value));
}

NodeContext::NodeContext(size_t node, std::vector<Tensor*> inputs, ImportState& state)
    : OpEmitter(state.builder, state.graph.def(node).name(), state.graph.def(node).name()),
      node_(node),
      def_(state.graph.def(node)),
      inputs_(std::move(inputs)),
      state_(state) {}

absl::StatusOr<std::vector<int64_t>> NodeContext::ConstantInts(size_t i,
                                                               absl::string_view what) const {
  const Tensor* tensor = input(i);
  if (!tensor->is_constant()) return NotConstant(what, tensor);
  if (tensor->type.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its ", what, " is ", synap_internal::Name(tensor->type.dtype), ", expected integers"));
  }
  const auto values = tensor->values<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

absl::StatusOr<int64_t> NodeContext::ConstantInt(size_t i, absl::string_view what) const {
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, ConstantInts(i, what));
  if (values.size() == 1) return values[0];
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " has ", values.size(), " elements, expected 1"));
}

absl::StatusOr<float> NodeContext::ConstantReal(size_t i, absl::string_view what) const {
  const Tensor* tensor = input(i);
  if (!tensor->is_constant()) return NotConstant(what, tensor);
  if (tensor->type.shape.elements() == 1) {
    if (tensor->type.dtype == DataType::kFloat32) return tensor->values<float>()[0];
    if (tensor->type.dtype == DataType::kInt64) {
      return static_cast<float>(tensor->values<int64_t>()[0]);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " is ", synap_internal::Name(tensor->type.dtype), " ",
                   tensor->type.shape.ToString(), ", expected one number"));
}

const AttrValue* NodeContext::Find(const std::string& name) const {
  const auto it = def_.attr().find(name);
  return it == def_.attr().end() ? nullptr : &it->second;
}

int64_t NodeContext::Int(const std::string& name, int64_t fallback) const {
  const AttrValue* value = Find(name);
  return value != nullptr && value->value_case() == AttrValue::kI ? value->i() : fallback;
}

float NodeContext::Float(const std::string& name, float fallback) const {
  const AttrValue* value = Find(name);
  return value != nullptr && value->value_case() == AttrValue::kF ? value->f() : fallback;
}

bool NodeContext::Bool(const std::string& name, bool fallback) const {
  const AttrValue* value = Find(name);
  return value != nullptr && value->value_case() == AttrValue::kB ? value->b() : fallback;
}

std::string NodeContext::String(const std::string& name, absl::string_view fallback) const {
  const AttrValue* value = Find(name);
  return value != nullptr && value->value_case() == AttrValue::kS ? value->s()
                                                                  : std::string(fallback);
}

std::vector<int64_t> NodeContext::Ints(const std::string& name) const {
  const AttrValue* value = Find(name);
  if (value == nullptr) return {};
  return {value->list().i().begin(), value->list().i().end()};
}

tensorflow::DataType NodeContext::Type(const std::string& name) const {
  const AttrValue* value = Find(name);
  return value == nullptr ? tensorflow::DT_INVALID : value->type();
}

absl::StatusOr<Tensor*> NodeContext::Image(Tensor* x) {
  RETURN_IF_ERROR(CheckImage(x->type.shape));
  return IsNchw() ? state_.nhwc.Of(*this, x) : x;
}

absl::StatusOr<Tensor*> NodeContext::EmitImage(absl::string_view op_name,
                                               std::vector<Tensor*> op_inputs,
                                               Attributes attributes) {
  if (!IsNchw()) return Emit(op_name, std::move(op_inputs), std::move(attributes));
  ASSIGN_OR_RETURN(Tensor * y, Emit(op_name, std::move(op_inputs), std::move(attributes), ".nhwc"));
  return FromNhwc(*this, y, 4);
}

absl::Status NodeContext::SetOutput(size_t i, Tensor* tensor) {
  const Value output{node_, static_cast<int>(i)};
  // An input of the network stays what it is, also if the node has other outputs.
  if (!state_.values.contains(output)) state_.Bind(output, tensor);
  return absl::OkStatus();
}

absl::Status NodeContext::SetOutput(absl::StatusOr<Tensor*> tensor) {
  if (!tensor.ok()) return tensor.status();
  return SetOutput(0, *tensor);
}

absl::Status NodeContext::SetOutputs(absl::StatusOr<std::vector<Tensor*>> tensors) {
  if (!tensors.ok()) return tensors.status();
  for (size_t i = 0; i < tensors->size(); ++i) RETURN_IF_ERROR(SetOutput(i, (*tensors)[i]));
  return absl::OkStatus();
}

}  // namespace synap_internal::tensorflow_import
