#include "compiler/import/onnx/node_mapper.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/op_limits.h"
#include "compiler/import/operator_table.h"

namespace synap_internal::onnx_import {
namespace {

// The names that a body gives to tensors hide those of what is around it while
// it is mapped.
class Scope {
 public:
  explicit Scope(ImportState& state) : state_(state) { ++state_.body_depth; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    --state_.body_depth;
    for (auto hidden = hidden_.rbegin(); hidden != hidden_.rend(); ++hidden) {
      state_.values.erase(hidden->first);
      state_.other_values.erase(hidden->first);
      if (hidden->second.has_value()) state_.Set(hidden->first, *std::move(hidden->second));
    }
  }

  // The name is about to be bound.
  void Hide(const std::string& name) {
    absl::optional<Value> outer;
    if (const auto tensor = state_.values.find(name); tensor != state_.values.end()) {
      outer = Value{tensor->second};
    } else if (const auto other = state_.other_values.find(name);
               other != state_.other_values.end()) {
      outer = std::move(other->second);
    }
    state_.other_values.erase(name);
    hidden_.emplace_back(name, std::move(outer));
  }
  void Define(const std::string& name, Value value) {
    Hide(name);
    state_.Set(name, std::move(value));
  }

 private:
  ImportState& state_;
  std::vector<std::pair<std::string, absl::optional<Value>>> hidden_;
};

}  // namespace

NodeMapper::NodeMapper(const onnx::GraphProto& graph, const GraphIndex& index, ImportState& state)
    : graph_(graph), index_(index), state_(state) {
  state_.index = &index;
  state_.run_body = [this](const onnx::GraphProto& body, const std::vector<Value>& inputs) {
    absl::StatusOr<std::vector<Value>> outputs = RunBody(body, inputs);
    body_failed_ = !outputs.ok();
    return outputs;
  };
}

absl::StatusOr<Value> NodeMapper::ValueOf(const std::string& name) {
  const auto it = state_.other_values.find(name);
  if (it != state_.other_values.end()) return it->second;
  ASSIGN_OR_RETURN(Tensor * tensor, TensorOf(name));
  return Value{tensor};
}

absl::StatusOr<Tensor*> NodeMapper::TensorOf(const std::string& name) {
  if (const auto it = state_.values.find(name); it != state_.values.end()) return it->second;
  const auto initializer = index_.initializers.find(name);
  if (initializer == index_.initializers.end()) {
    const auto producer = index_.producer.find(name);
    if (producer == index_.producer.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it reads '", name, "', which nothing before it produces"));
    }
    return absl::UnimplementedError(absl::StrCat("'", name, "' is an output of ",
                                                 Where(graph_.node(producer->second)),
                                                 " that is not supported"));
  }
  absl::StatusOr<Tensor*> tensor = state_.AddConstant(name, *initializer->second);
  if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("initializer '", name, "'"));
  state_.Bind(name, *tensor);
  return tensor;
}

absl::Status NodeMapper::Map(const onnx::NodeProto& node) {
  return Annotate(MapOperands(node), Where(node));
}

absl::Status NodeMapper::MapOperands(const onnx::NodeProto& node) {
  const OpMapping* mapping = MappingOf(node);
  if (mapping == nullptr) return absl::UnimplementedError("it is not supported");
  std::vector<Tensor*> inputs;
  for (const std::string& name : node.input()) {
    inputs.push_back(nullptr);
    if (name.empty() || state_.other_values.contains(name)) continue;
    ASSIGN_OR_RETURN(inputs.back(), TensorOf(name));
  }
  RETURN_IF_ERROR(CheckOperands(mapping->required, mapping->max, inputs));
  RETURN_IF_ERROR(CheckWidened(node, inputs));
  NodeContext context(node, std::move(inputs), state_);
  body_failed_ = false;
  const absl::Status status = mapping->map(context);
  // An error of a node in a body isn't about the limits of the node around it.
  RETURN_IF_ERROR(body_failed_ ? status : WithLimits(status, mapping->limits));
  return context.Finish();
}

// A tensor that is wider than the model says has the same values, but not the same type.
absl::Status NodeMapper::CheckWidened(const onnx::NodeProto& node,
                                      const std::vector<Tensor*>& inputs) const {
  const std::string& op = node.op_type();
  if (op == "Cast" || op == "CastLike" || op == "DequantizeLinear" || op == "Identity") {
    return absl::OkStatus();
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_zero_point = op == "QuantizeLinear" && i == 2;
    if (is_zero_point || state_.NarrowTypeOf(inputs[i]) == 0) continue;
    return absl::UnimplementedError(absl::StrCat(
        "its operand '", node.input(static_cast<int>(i)),
        "' is of an integer of less or a float of at most 8 bits, expected that only ",
        "Cast, CastLike, DequantizeLinear, Identity and QuantizeLinear (as operand 2) read ",
        "such ones"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> NodeMapper::RunBody(const onnx::GraphProto& body,
                                                       const std::vector<Value>& inputs) {
  if (static_cast<size_t>(body.input_size()) != inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its body has ", body.input_size(), " inputs, expected ", inputs.size()));
  }
  // An empty body costs something too: it may be run for ever.
  RETURN_IF_ERROR(state_.builder.ChargeOps(1 + body.node_size() + body.initializer_size()));
  Scope scope(state_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    scope.Define(body.input(static_cast<int>(i)).name(), inputs[i]);
  }
  for (const onnx::TensorProto& initializer : body.initializer()) {
    const std::string name = absl::StrCat(initializer.name(), state_.step);
    ASSIGN_OR_RETURN(Tensor * tensor, state_.AddConstant(name, initializer));
    scope.Define(initializer.name(), {tensor});
  }
  for (const onnx::NodeProto& node : body.node()) {
    for (const std::string& output : node.output()) scope.Hide(output);
    RETURN_IF_ERROR(Map(node));
  }
  std::vector<Value> outputs;
  for (const onnx::ValueInfoProto& output : body.output()) {
    ASSIGN_OR_RETURN(Value value, ValueOf(output.name()));
    outputs.push_back(std::move(value));
  }
  return outputs;
}

}  // namespace synap_internal::onnx_import
