#include "compiler/import/tensorflow/model_part.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/model_part.h"

namespace synap_internal::tensorflow_import {
namespace {

// The first few of `names`, for a hint.
std::string Some(std::vector<std::string> names) {
  constexpr size_t kMaxShown = 5;
  const bool all = names.size() <= kMaxShown;
  if (!all) names.resize(kMaxShown);
  return absl::StrCat("'", absl::StrJoin(names, "', '"), all ? "'" : "', ...");
}

absl::Status MissingNames(const GraphFile& graph) {
  std::vector<std::string> placeholders, ends;
  const std::vector<bool> read = ReadNodes(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const tensorflow::NodeDef& def = graph.def(i);
    if (def.op() == "Placeholder") placeholders.push_back(def.name());
    if (!read[i] && def.op() != "Const" && def.op() != "NoOp") ends.push_back(def.name());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a TensorFlow graph doesn't say what its inputs and outputs are; name them in a metafile, "
      "inputs with name and shape, outputs with name. Its placeholders are ",
      Some(std::move(placeholders)), ", and nothing reads ", Some(std::move(ends))));
}

class PartFinder {
 public:
  PartFinder(const GraphFile& graph, const ImportOptions& options)
      : graph_(graph), options_(options), states_(graph.nodes.size()) {}

  absl::StatusOr<ModelPart> Run() {
    if (options_.inputs.empty() || options_.outputs.empty()) return MissingNames(graph_);
    for (const ImportInput& input : options_.inputs) {
      ASSIGN_OR_RETURN(const Value value, Find("input", input.name));
      if (!part_.cuts.insert(value).second) return ListedTwice("input", input.name);
      part_.inputs.push_back({value, input.shape});
    }
    absl::flat_hash_set<Value> outputs;
    for (const std::string& name : options_.outputs) {
      ASSIGN_OR_RETURN(const Value value, Find("output", name));
      if (!outputs.insert(value).second) return ListedTwice("output", name);
      part_.outputs.push_back(value);
    }
    for (const Value& output : part_.outputs) {
      if (!part_.cuts.contains(output)) RETURN_IF_ERROR(Visit(output.node));
    }
    return std::move(part_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  absl::StatusOr<Value> Find(absl::string_view what, const std::string& name) const {
    const auto [node, port] = SplitPort(name);
    const auto it = graph_.by_name.find(node);
    if (it != graph_.by_name.end() && port >= 0) return Value{it->second, port};
    std::vector<std::string> names;
    for (const tensorflow::NodeDef& def : graph_.proto->node()) names.push_back(def.name());
    return UnknownName(what, name, "a node of the graph", names);
  }

  // Whether a node only tells which branch runs: its order counts, while that of
  // others (assertions, say) has no meaning for what is computed.
  bool IsPivot(size_t node) const {
    const std::string& op = graph_.def(node).op();
    const std::vector<Value>& inputs = graph_.nodes[node].inputs;
    return op == "Switch" ||
           (op == "Identity" && !inputs.empty() && graph_.def(inputs[0].node).op() == "Switch");
  }

  std::vector<size_t> Needs(size_t node) const {
    std::vector<size_t> needs;
    for (const Value& input : graph_.nodes[node].inputs) {
      if (!part_.cuts.contains(input)) needs.push_back(input.node);
    }
    for (const size_t before : graph_.nodes[node].after) {
      if (IsPivot(before)) needs.push_back(before);
    }
    return needs;
  }

  // Depth first, without recursion: graphs are deep.
  absl::Status Visit(size_t root) {
    std::vector<std::pair<size_t, bool>> stack = {{root, false}};  // node, its needs are done
    while (!stack.empty()) {
      const auto [node, done] = stack.back();
      stack.pop_back();
      if (done) {
        states_[node] = State::kDone;
        part_.nodes.push_back(node);
        continue;
      }
      if (states_[node] != State::kNew) continue;
      states_[node] = State::kOpen;
      stack.push_back({node, true});
      for (const size_t need : Needs(node)) {
        if (states_[need] == State::kOpen) {
          return absl::UnimplementedError(absl::StrCat(
              NodeLabel(graph_.def(need)),
              " is part of a loop, which is not supported; unroll it when exporting the graph"));
        }
        stack.push_back({need, false});
      }
    }
    return absl::OkStatus();
  }

  const GraphFile& graph_;
  const ImportOptions& options_;
  std::vector<State> states_;  // by node
  ModelPart part_;
};

}  // namespace

std::optional<OpenShape> PlaceholderShape(const tensorflow::NodeDef& placeholder) {
  const auto it = placeholder.attr().find("shape");
  if (it == placeholder.attr().end() || !it->second.has_shape()) return std::nullopt;
  const tensorflow::TensorShapeProto& proto = it->second.shape();
  if (proto.unknown_rank() || proto.dim().empty()) return std::nullopt;
  OpenShape shape;
  for (const auto& dim : proto.dim()) {
    shape.push_back(dim.size() > 0 ? std::optional<int64_t>(dim.size()) : std::nullopt);
  }
  return shape;
}

absl::StatusOr<ModelPart> FindModelPart(const GraphFile& graph, const ImportOptions& options) {
  return PartFinder(graph, options).Run();
}

}  // namespace synap_internal::tensorflow_import
