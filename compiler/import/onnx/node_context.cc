#include "compiler/import/onnx/node_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/narrow_types.h"

namespace synap_internal::onnx_import {
namespace {

using onnx::AttributeProto;

std::string FirstOutput(const onnx::NodeProto& node) {
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.name();
}

}  // namespace

absl::StatusOr<std::vector<Tensor*>> TensorsOf(const std::vector<Value>& values) {
  std::vector<Tensor*> tensors;
  for (const Value& value : values) {
    if (!value.is_tensor()) {
      return absl::UnimplementedError(
          "one of its values is a sequence or an optional value, expected tensors");
    }
    tensors.push_back(value.tensor);
  }
  return tensors;
}

std::vector<Value> ValuesOf(const std::vector<Tensor*>& tensors) {
  std::vector<Value> values;
  for (Tensor* tensor : tensors) values.push_back({tensor});
  return values;
}

int ImportState::NarrowTypeOf(const Tensor* tensor) const {
  const auto it = widened.find(tensor);
  return it == widened.end() ? 0 : it->second;
}

void ImportState::Set(const std::string& name, Value value) {
  if (value.is_tensor()) {
    other_values.erase(name);
    values[name] = value.tensor;
  } else {
    values.erase(name);
    other_values[name] = std::move(value);
  }
}

Emitted ImportState::AddConstant(absl::string_view name, const onnx::TensorProto& proto) {
  ASSIGN_OR_RETURN(TensorData data, reader.ReadWeights(proto));
  Tensor* tensor = builder.graph().AddConstant(name, data.type, std::move(data.constant));
  if (IsNarrowType(proto.data_type())) widened[tensor] = proto.data_type();
  return tensor;
}

void ImportState::Bind(const std::string& name, Tensor* tensor) {
  values[name] = tensor;
  if (body_depth == 0) builder.Name(tensor, name);
}

UnrolledStep::UnrolledStep(ImportState& state, int64_t number)
    : state_(state), outer_size_(state.step.size()) {
  absl::StrAppend(&state.step, ".", number);
}

NodeContext::NodeContext(const onnx::NodeProto& node, std::vector<Tensor*> inputs,
                         ImportState& state)
    : OperandContext(state.builder, NodeLabel(node), FirstOutput(node), std::move(inputs)),
      node_(node),
      state_(state) {}

absl::StatusOr<std::vector<int64_t>> NodeContext::IntsOperandOrAttribute(size_t i,
                                                                         absl::string_view name) {
  if (HasInput(i)) return ConstantInts(i, name);
  return Ints(name);
}

int NodeContext::DeclaredType(size_t i) const {
  // The names in a body are its own.
  if (!HasInput(i) || state_.index == nullptr || state_.body_depth > 0) return 0;
  const std::string& name = node_.input(static_cast<int>(i));
  const auto initializer = state_.index->initializers.find(name);
  if (initializer != state_.index->initializers.end()) return initializer->second->data_type();
  const auto info = state_.index->infos.find(name);
  if (info == state_.index->infos.end()) return 0;
  return info->second->type().tensor_type().elem_type();
}

absl::StatusOr<Value> NodeContext::Operand(size_t i) const {
  if (HasInput(i)) return Value{input(i)};
  if (i < static_cast<size_t>(node_.input_size())) {
    const auto it = state_.other_values.find(node_.input(static_cast<int>(i)));
    if (it != state_.other_values.end()) return it->second;
  }
  return absl::InvalidArgumentError(absl::StrCat("its operand ", i, " is missing"));
}

absl::StatusOr<std::vector<Value>> NodeContext::OperandsFrom(size_t first) const {
  std::vector<Value> values;
  for (size_t i = first; i < static_cast<size_t>(node_.input_size()); ++i) {
    ASSIGN_OR_RETURN(Value value, Operand(i));
    values.push_back(std::move(value));
  }
  return values;
}

bool NodeContext::HasAttribute(absl::string_view name) const {
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) return true;
  }
  return false;
}

const AttributeProto* NodeContext::Find(absl::string_view name,
                                        AttributeProto::AttributeType type) {
  asked_.emplace(name);
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.type() == type) return &attribute;
    if (attribute_error_.ok()) {
      attribute_error_ = absl::InvalidArgumentError(absl::StrCat(
          "attribute '", name, "' is ", AttributeProto::AttributeType_Name(attribute.type()),
          ", expected ", AttributeProto::AttributeType_Name(type)));
    }
  }
  return nullptr;
}

int64_t NodeContext::Int(absl::string_view name, int64_t fallback) {
  const AttributeProto* attribute = Find(name, AttributeProto::INT);
  return attribute == nullptr ? fallback : attribute->i();
}

float NodeContext::Float(absl::string_view name, float fallback) {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOAT);
  return attribute == nullptr ? fallback : attribute->f();
}

std::string NodeContext::String(absl::string_view name, absl::string_view fallback) {
  const AttributeProto* attribute = Find(name, AttributeProto::STRING);
  return attribute == nullptr ? std::string(fallback) : attribute->s();
}

std::vector<int64_t> NodeContext::Ints(absl::string_view name, std::vector<int64_t> fallback) {
  const AttributeProto* attribute = Find(name, AttributeProto::INTS);
  if (attribute == nullptr) return fallback;
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<float> NodeContext::Floats(absl::string_view name, std::vector<float> fallback) {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOATS);
  if (attribute == nullptr) return fallback;
  return {attribute->floats().begin(), attribute->floats().end()};
}

const onnx::TensorProto* NodeContext::TensorAttribute(absl::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::TENSOR);
  return attribute == nullptr ? nullptr : &attribute->t();
}

const onnx::GraphProto* NodeContext::GraphAttribute(absl::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::GRAPH);
  return attribute == nullptr ? nullptr : &attribute->g();
}

std::vector<std::string> NodeContext::Strings(absl::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::STRINGS);
  if (attribute == nullptr) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

absl::StatusOr<std::string> NodeContext::Choice(absl::string_view name, absl::string_view fallback,
                                                std::initializer_list<absl::string_view> choices) {
  std::string value = String(name, fallback);
  const auto* const last = choices.end() - 1;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("attribute '", name, "' is '", value, "', expected ",
                   absl::StrJoin(choices.begin(), last, ", "), " or ", *last));
}

absl::StatusOr<const onnx::GraphProto*> NodeContext::Body(absl::string_view name) {
  const onnx::GraphProto* body = GraphAttribute(name);
  if (body != nullptr) return body;
  return absl::InvalidArgumentError(absl::StrCat("attribute '", name, "' is missing"));
}

std::string NodeContext::Name(absl::string_view suffix) const {
  return OpEmitter::Name(absl::StrCat(state_.step, suffix));
}

bool NodeContext::HasOutput(size_t i) const {
  return i < static_cast<size_t>(node_.output_size()) && !node_.output(static_cast<int>(i)).empty();
}

absl::Status NodeContext::SetValue(size_t i, Value value) {
  if (value.is_tensor()) return SetOutput(i, value.tensor);
  if (HasOutput(i)) state_.Set(node_.output(static_cast<int>(i)), std::move(value));
  return absl::OkStatus();
}

absl::Status NodeContext::SetValues(std::vector<Value> values) {
  for (size_t i = 0; i < values.size(); ++i) RETURN_IF_ERROR(SetValue(i, std::move(values[i])));
  return absl::OkStatus();
}

absl::Status NodeContext::BindOutput(size_t i, Tensor* tensor) {
  if (!HasOutput(i)) return absl::OkStatus();
  const std::string& name = node_.output(static_cast<int>(i));
  // An input of the network stays what it is, also if the node has other outputs; in the
  // body of a loop each step has its own.
  if (state_.body_depth == 0 && state_.values.contains(name)) return absl::OkStatus();
  state_.Bind(name, tensor);
  return absl::OkStatus();
}

void NodeContext::Warn(absl::string_view sentence) {
  std::string warning = absl::StrCat(Where(node_), ": ", sentence);
  std::vector<std::string>& warnings = state_.warnings;
  if (std::find(warnings.begin(), warnings.end(), warning) != warnings.end()) return;
  warnings.push_back(std::move(warning));
}

absl::Status NodeContext::Finish() const {
  RETURN_IF_ERROR(attribute_error_);
  for (const AttributeProto& attribute : node_.attribute()) {
    if (asked_.contains(attribute.name())) continue;
    return absl::UnimplementedError(
        absl::StrCat("attribute '", attribute.name(), "' is not supported"));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal::onnx_import
