#include "compiler/import/onnx/model_functions.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/graph_index.h"

namespace synap_internal::onnx_import {
namespace {

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::NodeProto;

constexpr int kMaxDepth = 64;
constexpr int kMaxNodes = 1 << 18;

// Fields that IR versions 9 and 10 added.
constexpr int kFunctionDefaults = 11;  // FunctionProto.attribute_proto
constexpr int kFunctionOverload = 13;
constexpr int kNodeOverload = 8;

// The last value of a string field that the linked version of ONNX may not know.
template <typename Message>
std::string UnknownString(const Message& message, int number) {
  std::string value;
  const auto& fields = message.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    const bool is_string = field.type() == field.TYPE_LENGTH_DELIMITED;
    if (field.number() == number && is_string) value = field.length_delimited();
  }
  return value;
}

std::string Key(absl::string_view domain, absl::string_view name, absl::string_view overload) {
  return absl::StrCat(domain == "ai.onnx" ? "" : domain, "::", name, "::", overload);
}

std::string KeyOf(const FunctionProto& function) {
  return Key(function.domain(), function.name(), UnknownString(function, kFunctionOverload));
}

std::string KeyOf(const NodeProto& node) {
  return Key(node.domain(), node.op_type(), UnknownString(node, kNodeOverload));
}

// One call: what the names and attributes of the function's body stand for.
struct Call {
  std::string prefix;
  absl::flat_hash_map<std::string, std::string> names;  // inputs and outputs
  absl::flat_hash_map<std::string, AttributeProto> attributes;
  // Outputs of the call that are operands of the function, and these operands.
  std::vector<std::pair<std::string, std::string>> forwarded;

  std::string NameOf(const std::string& name) const {
    if (name.empty()) return name;
    const auto it = names.find(name);
    return it != names.end() ? it->second : absl::StrCat(prefix, name);
  }
};

void RenameGraph(const Call& call, onnx::GraphProto& graph);

// The attribute as the caller gives it; none if it gives none and there is no default.
void BindAttributes(const Call& call, NodeProto& node) {
  google::protobuf::RepeatedPtrField<AttributeProto> bound;
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g()) RenameGraph(call, *attribute.mutable_g());
      *bound.Add() = std::move(attribute);
      continue;
    }
    const auto given = call.attributes.find(attribute.ref_attr_name());
    if (given == call.attributes.end()) continue;
    const std::string name = attribute.name();
    AttributeProto& added = *bound.Add();
    added = given->second;
    added.set_name(name);
  }
  *node.mutable_attribute() = std::move(bound);
}

void RenameNode(const Call& call, NodeProto& node) {
  for (std::string& input : *node.mutable_input()) input = call.NameOf(input);
  for (std::string& output : *node.mutable_output()) output = call.NameOf(output);
  if (!node.name().empty()) node.set_name(absl::StrCat(call.prefix, node.name()));
  BindAttributes(call, node);
}

void RenameGraph(const Call& call, onnx::GraphProto& graph) {
  for (auto& input : *graph.mutable_input()) input.set_name(call.NameOf(input.name()));
  for (auto& output : *graph.mutable_output()) output.set_name(call.NameOf(output.name()));
  for (auto& info : *graph.mutable_value_info()) info.set_name(call.NameOf(info.name()));
  for (auto& tensor : *graph.mutable_initializer()) tensor.set_name(call.NameOf(tensor.name()));
  for (NodeProto& node : *graph.mutable_node()) RenameNode(call, node);
}

class Inliner {
 public:
  explicit Inliner(const onnx::ModelProto& model) {
    for (const FunctionProto& function : model.functions()) {
      functions_.emplace(KeyOf(function), &function);
    }
  }

  absl::Status InlineGraph(onnx::GraphProto& graph, int depth) {
    Nodes nodes;
    for (NodeProto& node : *graph.mutable_node()) {
      RETURN_IF_ERROR(InlineNode(node, depth, nodes));
    }
    *graph.mutable_node() = std::move(nodes);
    return absl::OkStatus();
  }

 private:
  using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

  // Adds the node, or those of the function that it calls.
  absl::Status InlineNode(NodeProto& node, int depth, Nodes& nodes) {
    const auto function = functions_.find(KeyOf(node));
    if (function != functions_.end()) {
      return Annotate(InlineCall(node, *function->second, depth, nodes), Where(node));
    }
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) RETURN_IF_ERROR(InlineGraph(*attribute.mutable_g(), depth));
    }
    *nodes.Add() = std::move(node);
    return absl::OkStatus();
  }

  absl::Status InlineCall(const NodeProto& node, const FunctionProto& function, int depth,
                          Nodes& nodes) {
    if (depth == kMaxDepth) {
      return absl::InvalidArgumentError(absl::StrCat("functions call each other ", kMaxDepth,
                                                     " deep, expected fewer and no recursion"));
    }
    ASSIGN_OR_RETURN(const Call call, CallOf(node, function));
    for (const NodeProto& original : function.node()) {
      if (++node_count_ > kMaxNodes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("calls of functions make more than ", kMaxNodes, " nodes"));
      }
      NodeProto copy = original;
      RenameNode(call, copy);
      RETURN_IF_ERROR(InlineNode(copy, depth + 1, nodes));
    }
    AddForwarded(call, nodes);
    return absl::OkStatus();
  }

  static absl::StatusOr<Call> CallOf(const NodeProto& node, const FunctionProto& function) {
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it has ", node.input_size(), " operands and ", node.output_size(),
          " outputs, its function ", function.input_size(), " and ", function.output_size()));
    }
    Call call;
    call.prefix = absl::StrCat(NodeLabel(node), "/");
    for (int i = 0; i < function.input_size(); ++i) {
      call.names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const auto [it, added] = call.names.emplace(function.output(i), node.output(i));
      if (!added) call.forwarded.emplace_back(node.output(i), it->second);
    }
    RETURN_IF_ERROR(AddDefaults(function, call));
    for (const AttributeProto& attribute : node.attribute()) {
      call.attributes[attribute.name()] = attribute;
    }
    return call;
  }

  static absl::Status AddDefaults(const FunctionProto& function, Call& call) {
    const auto& fields = function.unknown_fields();
    for (int i = 0; i < fields.field_count(); ++i) {
      const auto& field = fields.field(i);
      if (field.number() != kFunctionDefaults || field.type() != field.TYPE_LENGTH_DELIMITED) {
        continue;
      }
      AttributeProto attribute;
      if (!attribute.ParseFromString(field.length_delimited())) {
        return absl::InvalidArgumentError(
            absl::StrCat("a default of its function '", function.name(), "' is damaged"));
      }
      const std::string name = attribute.name();
      call.attributes[name] = std::move(attribute);
    }
    return absl::OkStatus();
  }

  static void AddForwarded(const Call& call, Nodes& nodes) {
    for (const auto& [output, operand] : call.forwarded) {
      NodeProto& node = *nodes.Add();
      node.set_op_type("Identity");
      node.add_input(operand);
      node.add_output(output);
    }
  }

  absl::flat_hash_map<std::string, const FunctionProto*> functions_;
  int node_count_ = 0;
};

}  // namespace

absl::Status InlineFunctions(onnx::ModelProto& model) {
  if (model.functions_size() == 0) return absl::OkStatus();
  RETURN_IF_ERROR(Inliner(model).InlineGraph(*model.mutable_graph(), 0));
  model.clear_functions();
  return absl::OkStatus();
}

}  // namespace synap_internal::onnx_import
