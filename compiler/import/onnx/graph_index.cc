#include "compiler/import/onnx/graph_index.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status Duplicate(absl::string_view name, absl::string_view first, absl::string_view second) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", name, "' is defined twice, by ", first, " and by ", second));
}

absl::Status IndexSources(const onnx::GraphProto& graph, GraphIndex& index) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (!index.initializers.emplace(tensor.name(), &tensor).second) {
      return Duplicate(tensor.name(), "an initializer", "another one");
    }
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!index.inputs.emplace(input.name(), &input).second) {
      return Duplicate(input.name(), "an input", "another one");
    }
    index.infos.emplace(input.name(), &input);
  }
  for (const onnx::ValueInfoProto& info : graph.output()) index.infos.emplace(info.name(), &info);
  for (const onnx::ValueInfoProto& info : graph.value_info()) {
    index.infos.emplace(info.name(), &info);
  }
  return absl::OkStatus();
}

absl::Status IndexProducers(const onnx::GraphProto& graph, GraphIndex& index) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    for (const std::string& output : node.output()) {
      if (output.empty()) continue;
      const auto [it, added] = index.producer.emplace(output, i);
      if (!added) return Duplicate(output, Where(graph.node(it->second)), Where(node));
      if (index.inputs.contains(output)) return Duplicate(output, "an input", Where(node));
      if (index.initializers.contains(output)) {
        return Duplicate(output, "an initializer", Where(node));
      }
    }
  }
  return absl::OkStatus();
}

// Adds what the body reads and doesn't define, empty names aside.
void AddReadsOfBody(const onnx::GraphProto& body, std::vector<absl::string_view>& reads) {
  absl::flat_hash_set<absl::string_view> defined;
  for (const onnx::ValueInfoProto& input : body.input()) defined.insert(input.name());
  for (const onnx::TensorProto& tensor : body.initializer()) defined.insert(tensor.name());
  for (const onnx::NodeProto& node : body.node()) {
    defined.insert(node.output().begin(), node.output().end());
  }
  const auto add = [&](absl::string_view name) {
    if (!name.empty() && !defined.contains(name)) reads.push_back(name);
  };
  for (const onnx::NodeProto& node : body.node()) {
    for (const absl::string_view name : ReadsOf(node)) add(name);
  }
  for (const onnx::ValueInfoProto& output : body.output()) add(output.name());
}

}  // namespace

std::string NodeLabel(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.op_type();
}

std::string Where(const onnx::NodeProto& node) {
  return absl::StrCat("node '", NodeLabel(node), "' (", node.op_type(), ")");
}

bool IsStandard(const onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

std::vector<absl::string_view> ReadsOf(const onnx::NodeProto& node) {
  std::vector<absl::string_view> reads(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) AddReadsOfBody(attribute.g(), reads);
  }
  return reads;
}

absl::StatusOr<GraphIndex> IndexGraph(const onnx::GraphProto& graph) {
  GraphIndex index;
  RETURN_IF_ERROR(IndexSources(graph, index));
  RETURN_IF_ERROR(IndexProducers(graph, index));
  return index;
}

}  // namespace synap_internal::onnx_import
