#include "compiler/import/onnx/node_mapper.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
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
      if (hidden->second == nullptr) {
        state_.values.erase(hidden->first);
      } else {
        state_.values[hidden->first] = hidden->second;
      }
    }
  }

  // The name is about to be bound.
  void Hide(const std::string& name) {
    const auto it = state_.values.find(name);
    hidden_.emplace_back(name, it == state_.values.end() ? nullptr : it->second);
  }
  void Define(const std::string& name, Tensor* tensor) {
    Hide(name);
    state_.values[name] = tensor;
  }

 private:
  ImportState& state_;
  std::vector<std::pair<std::string, Tensor*>> hidden_;
};

}  // namespace

NodeMapper::NodeMapper(const onnx::GraphProto& graph, const GraphIndex& index, ImportState& state)
    : graph_(graph), index_(index), state_(state) {
  state_.run_body = [this](const onnx::GraphProto& body, const std::vector<Tensor*>& inputs) {
    absl::StatusOr<std::vector<Tensor*>> outputs = RunBody(body, inputs);
    body_failed_ = !outputs.ok();
    return outputs;
  };
}

absl::StatusOr<Tensor*> NodeMapper::Value(const std::string& name) {
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
    if (name.empty() || state_.sequences.contains(name)) continue;
    ASSIGN_OR_RETURN(inputs.back(), Value(name));
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
  const bool takes_all = op == "Cast" || op == "DequantizeLinear" || op == "Identity";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool takes = takes_all || (op == "CastLike" && i == 0);
    if (takes || !state_.widened.contains(inputs[i])) continue;
    return absl::UnimplementedError(absl::StrCat(
        "its operand '", node.input(static_cast<int>(i)),
        "' is of an integer of less or a float of at most 8 bits, expected that only ",
        "Cast, CastLike (as operand 0), DequantizeLinear and Identity read such ones"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Tensor*>> NodeMapper::RunBody(const onnx::GraphProto& body,
                                                         const std::vector<Tensor*>& inputs) {
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
    scope.Define(initializer.name(), tensor);
  }
  for (const onnx::NodeProto& node : body.node()) {
    for (const std::string& output : node.output()) scope.Hide(output);
    RETURN_IF_ERROR(Map(node));
  }
  std::vector<Tensor*> outputs;
  for (const onnx::ValueInfoProto& output : body.output()) {
    ASSIGN_OR_RETURN(Tensor * tensor, Value(output.name()));
    outputs.push_back(tensor);
  }
  return outputs;
}

}  // namespace synap_internal::onnx_import
