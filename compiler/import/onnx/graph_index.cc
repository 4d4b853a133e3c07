#include "compiler/import/onnx/graph_index.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status Duplicate(absl::string_view name, absl::string_view first, absl::string_view second) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", name, "' is defined twice, by ", first, " and by ", second));
}

std::string Quoted(const onnx::NodeProto& node) {
  return absl::StrCat("node '", NodeLabel(node), "' (", node.op_type(), ")");
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
      if (!added) return Duplicate(output, Quoted(graph.node(it->second)), Quoted(node));
      if (index.inputs.contains(output)) return Duplicate(output, "an input", Quoted(node));
      if (index.initializers.contains(output)) {
        return Duplicate(output, "an initializer", Quoted(node));
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

class Selector {
 public:
  Selector(const onnx::GraphProto& graph, const GraphIndex& index,
           const absl::flat_hash_set<absl::string_view>& cuts)
      : graph_(graph), index_(index), cuts_(cuts), needed_(graph.node_size()) {}

  absl::StatusOr<Selection> Run(const std::vector<std::string>& outputs) {
    for (const std::string& output : outputs) RETURN_IF_ERROR(Visit(output, nullptr));
    while (!stack_.empty()) {
      const onnx::NodeProto& node = graph_.node(stack_.back());
      stack_.pop_back();
      for (const absl::string_view input : ReadsOf(node)) RETURN_IF_ERROR(Visit(input, &node));
    }
    RETURN_IF_ERROR(Sort());
    return std::move(selection_);
  }

 private:
  // The node that makes a tensor, or -1.
  int ProducerOf(absl::string_view tensor) const {
    const auto it = index_.producer.find(tensor);
    return it == index_.producer.end() || cuts_.contains(tensor) ? -1 : it->second;
  }

  absl::Status Visit(absl::string_view tensor, const onnx::NodeProto* reader) {
    if (tensor.empty()) return absl::OkStatus();
    const int producer = ProducerOf(tensor);
    if (producer < 0) {
      if (!cuts_.contains(tensor) && !index_.HasTensor(tensor)) {
        return absl::InvalidArgumentError(
            absl::StrCat(Quoted(*reader), " reads '", tensor, "', which nothing produces"));
      }
      selection_.sources.insert(tensor);
    } else if (!needed_[producer]) {
      needed_[producer] = true;
      stack_.push_back(producer);
    }
    return absl::OkStatus();
  }

  absl::Status Sort() {
    std::vector<int> missing(needed_.size());
    std::vector<std::vector<int>> users(needed_.size());
    std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
    size_t count = 0;
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      ++count;
      for (const absl::string_view input : ReadsOf(graph_.node(static_cast<int>(i)))) {
        if (const int producer = ProducerOf(input); producer >= 0) {
          users[producer].push_back(static_cast<int>(i));
          ++missing[i];
        }
      }
      if (missing[i] == 0) ready.push(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const int node = ready.top();
      ready.pop();
      selection_.nodes.push_back(node);
      for (const int user : users[node]) {
        if (--missing[user] == 0) ready.push(user);
      }
    }
    return selection_.nodes.size() == count ? absl::OkStatus() : CycleError(missing);
  }

  // Walks from producer to producer among the nodes that are still waiting; each
  // has one, so that the walk must come back to where it was.
  absl::Status CycleError(const std::vector<int>& missing) const {
    const auto waiting = [&](int i) { return i >= 0 && needed_[i] && missing[i] > 0; };
    int node = 0;
    while (!waiting(node)) ++node;
    std::vector<int> path;
    std::vector<bool> walked(needed_.size());
    while (!walked[node]) {
      walked[node] = true;
      path.push_back(node);
      for (const absl::string_view input : ReadsOf(graph_.node(path.back()))) {
        if (const int producer = ProducerOf(input); waiting(producer)) node = producer;
      }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), node));
    path.push_back(node);
    std::reverse(path.begin(), path.end());
    constexpr size_t kMaxShown = 8;
    const bool elided = path.size() > kMaxShown;
    if (elided) path.resize(kMaxShown);
    return absl::InvalidArgumentError(
        absl::StrCat("has a cycle: ",
                     absl::StrJoin(path, " -> ",
                                   [&](std::string* out, int i) {
                                     absl::StrAppend(out, "'", NodeLabel(graph_.node(i)), "'");
                                   }),
                     elided ? " -> ..." : ""));
  }

  const onnx::GraphProto& graph_;
  const GraphIndex& index_;
  const absl::flat_hash_set<absl::string_view>& cuts_;
  std::vector<bool> needed_;
  std::vector<int> stack_;
  Selection selection_;
};

}  // namespace

std::string NodeLabel(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.op_type();
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

absl::StatusOr<Selection> SelectNodes(const onnx::GraphProto& graph, const GraphIndex& index,
                                      const absl::flat_hash_set<absl::string_view>& cuts,
                                      const std::vector<std::string>& outputs) {
  return Selector(graph, index, cuts).Run(outputs);
}

}  // namespace synap_internal::onnx_import
