#include "compiler/import/tensorflow/graph_file.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status NotFrozen(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a frozen TensorFlow graph: ", why));
}

// A network of Caffe2 has operators with types where a graph has functions.
bool IsCaffe2(absl::string_view bytes) {
  tensorflow::NetDef net;
  if (!net.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  return net.op_size() > 0 && std::all_of(net.op().begin(), net.op().end(),
                                          [](const auto& op) { return !op.type().empty(); });
}

absl::Status CheckBytes(absl::string_view bytes) {
  if (const absl::string_view why = WhyUnreadable(bytes); !why.empty()) return NotFrozen(why);
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return NotFrozen("it has more than 2 GiB");
  }
  // The schema version, which a graph doesn't have.
  if (bytes[0] == '\x08') {
    return NotFrozen(
        "it is a SavedModel; freeze it to one graph first (convert_variables_to_constants_v2), or "
        "convert it to TensorFlow Lite");
  }
  if (absl::StartsWith(bytes, "node {") || absl::StartsWith(bytes, "node:")) {
    return NotFrozen("it is a graph as text; write it with as_text=False");
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> FindInput(const GraphFile& graph, absl::string_view input) {
  const auto [name, port] = SplitPort(input);
  const auto it = graph.by_name.find(name);
  if (it != graph.by_name.end() && port >= 0) return Value{it->second, port};
  return absl::InvalidArgumentError(
      absl::StrCat("its operand '", input, "' is not an output of the graph"));
}

absl::StatusOr<Node> ReadInputs(const GraphFile& graph, const tensorflow::NodeDef& def) {
  Node node;
  for (absl::string_view input : def.input()) {
    if (absl::StartsWith(input, "^")) {
      ASSIGN_OR_RETURN(const Value before, FindInput(graph, input.substr(1)));
      node.after.push_back(before.node);
    } else {
      ASSIGN_OR_RETURN(const Value value, FindInput(graph, input));
      node.inputs.push_back(value);
    }
  }
  return node;
}

}  // namespace

std::string GraphFile::NameOf(const Value& value) const {
  const std::string& name = def(value.node).name();
  return value.port == 0 ? name : absl::StrCat(name, ":", value.port);
}

std::vector<bool> ReadNodes(const GraphFile& graph) {
  std::vector<bool> read(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    for (const Value& input : node.inputs) read[input.node] = true;
    for (const size_t before : node.after) read[before] = true;
  }
  return read;
}

std::string NodeLabel(const tensorflow::NodeDef& node) {
  return absl::StrCat("node '", node.name(), "' (", node.op(), ")");
}

std::pair<absl::string_view, int> SplitPort(absl::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == absl::string_view::npos) return {name, 0};
  int port = 0;
  if (!absl::SimpleAtoi(name.substr(colon + 1), &port) || port < 0) port = -1;
  return {name.substr(0, colon), port};
}

absl::StatusOr<GraphFile> ParseGraph(absl::string_view bytes) {
  RETURN_IF_ERROR(CheckBytes(bytes));
  auto proto = std::make_shared<tensorflow::GraphDef>();
  const bool parsed = proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!parsed || proto->node().empty()) {
    if (IsCaffe2(bytes)) {
      return absl::UnimplementedError(
          "is a network of Caffe2, which is not supported; export it to ONNX");
    }
    return NotFrozen(parsed ? "it has no nodes" : "it is truncated or something else");
  }
  GraphFile graph;
  graph.proto = std::move(proto);
  for (const tensorflow::NodeDef& def : graph.proto->node()) {
    if (def.name().empty()) return absl::InvalidArgumentError("a node has no name");
    if (graph.by_name.emplace(def.name(), graph.by_name.size()).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("two nodes are called '", def.name(), "'"));
  }
  for (const tensorflow::NodeDef& def : graph.proto->node()) {
    absl::StatusOr<Node> node = ReadInputs(graph, def);
    if (!node.ok()) return Annotate(node.status(), NodeLabel(def));
    graph.nodes.push_back(*std::move(node));
  }
  return graph;
}

}  // namespace synap_internal::tensorflow_import
