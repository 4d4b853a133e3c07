#include "compiler/import/tensorflow/node_context.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/window.h"

namespace synap_internal::tensorflow_import {

using tensorflow::AttrValue;

void ImportState::Bind(const Value& value, Tensor* tensor) {
  values[value] = tensor;
  builder.Name(tensor, graph.NameOf(value));
}

NodeContext::NodeContext(size_t node, std::vector<Tensor*> inputs, ImportState& state)
    : OperandContext(state.builder, state.graph.def(node).name(), state.graph.def(node).name(),
                     std::move(inputs)),
      node_(node),
      def_(state.graph.def(node)),
      state_(state) {}

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

Emitted NodeContext::Image(Tensor* x) {
  RETURN_IF_ERROR(CheckImage(x->type.shape));
  return IsNchw() ? ToNhwc(*this, x) : x;
}

Emitted NodeContext::EmitImage(absl::string_view op_name, OpInputs op_inputs,
                               Attributes attributes) {
  if (!IsNchw()) return Emit(op_name, std::move(op_inputs), std::move(attributes));
  return FromNhwc(*this, Emit(op_name, std::move(op_inputs), std::move(attributes), ".nhwc"), 4);
}

absl::Status NodeContext::BindOutput(size_t i, Tensor* tensor) {
  const Value output{node_, static_cast<int>(i)};
  // An input of the network stays what it is, also if the node has other outputs.
  if (!state_.values.contains(output)) state_.Bind(output, tensor);
  return absl::OkStatus();
}

}  // namespace synap_internal::tensorflow_import
