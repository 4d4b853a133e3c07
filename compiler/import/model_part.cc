#include "compiler/import/model_part.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

class PartFinder {
 public:
  PartFinder(const ModelGraph& graph, const ImportOptions& options)
      : graph_(graph),
        options_(options),
        producers_(graph.values.size(), kNone),
        needed_(graph.values.size()),
        given_(graph.values.size()),
        selected_(graph.nodes.size()) {
    for (size_t i = 0; i < graph.values.size(); ++i) by_name_[graph.values[i]] = i;
    for (const auto& [name, value] : graph.aliases) by_name_.emplace(name, value);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const size_t value : graph.nodes[i].makes) producers_[value] = i;
    }
  }

  absl::StatusOr<ModelPart> Run() {
    RETURN_IF_ERROR(FindOutputs());
    RETURN_IF_ERROR(FindInputs());
    MarkNeeded();
    RETURN_IF_ERROR(SortNodes());
    if (options_.inputs.empty()) {
      DropUnneededInputs();
    } else {
      RETURN_IF_ERROR(CheckInputsSuffice());
    }
    return std::move(part_);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  absl::StatusOr<size_t> Find(absl::string_view what, const std::string& name) const {
    if (const auto it = by_name_.find(name); it != by_name_.end()) return it->second;
    std::vector<std::string> known = graph_.values;
    for (const auto& [alias, value] : graph_.aliases) known.push_back(alias);
    return UnknownName(what, name, graph_.noun, known);
  }

  absl::Status CheckListedOnce(absl::string_view what, const std::vector<size_t>& values) const {
    absl::flat_hash_set<size_t> seen;
    for (const size_t value : values) {
      if (!seen.insert(value).second) return ListedTwice(what, graph_.values[value]);
    }
    return absl::OkStatus();
  }

  absl::Status FindOutputs() {
    for (const std::string& name : options_.outputs) {
      ASSIGN_OR_RETURN(const size_t output, Find("output", name));
      part_.outputs.push_back(output);
    }
    if (options_.outputs.empty()) part_.outputs = graph_.outputs;
    if (part_.outputs.empty()) return absl::InvalidArgumentError("has no outputs");
    return CheckListedOnce("output", part_.outputs);
  }

  absl::StatusOr<size_t> FindInput(size_t position) const {
    const std::string& name = options_.inputs[position].name;
    if (!name.empty()) return Find("input", name);
    if (position < graph_.inputs.size()) return graph_.inputs[position];
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", graph_.inputs.size(), " inputs, the metafile ", options_.inputs.size()));
  }

  absl::Status FindInputs() {
    for (size_t i = 0; i < options_.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(const size_t value, FindInput(i));
      part_.inputs.push_back({value, options_.inputs[i].shape});
    }
    if (options_.inputs.empty()) {
      for (const size_t value : graph_.inputs) {
        const auto shape = options_.fixed_shapes.find(graph_.values[value]);
        const bool known = shape != options_.fixed_shapes.end();
        part_.inputs.push_back({value, known ? std::optional(shape->second) : std::nullopt});
      }
    }
    std::vector<size_t> values;
    for (const PartInput& input : part_.inputs) {
      values.push_back(input.value);
      given_[input.value] = true;
    }
    return CheckListedOnce("input", values);
  }

  // The node that has to compute a value, or kNone.
  size_t ProducerOf(size_t value) const { return given_[value] ? kNone : producers_[value]; }

  void MarkNeeded() {
    std::vector<size_t> waiting = part_.outputs;
    while (!waiting.empty()) {
      const size_t value = waiting.back();
      waiting.pop_back();
      if (needed_[value]) continue;
      needed_[value] = true;
      const size_t producer = ProducerOf(value);
      if (producer == kNone || selected_[producer]) continue;
      selected_[producer] = true;
      const std::vector<size_t>& reads = graph_.nodes[producer].reads;
      waiting.insert(waiting.end(), reads.begin(), reads.end());
    }
  }

  // Of the nodes whose producers are done the first is next, so that a sorted model stays as it is.
  absl::Status SortNodes() {
    std::vector<size_t> missing(selected_.size());
    std::vector<std::vector<size_t>> users(selected_.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
    size_t count = 0;
    for (size_t i = 0; i < selected_.size(); ++i) {
      if (!selected_[i]) continue;
      ++count;
      for (const size_t value : graph_.nodes[i].reads) {
        const size_t producer = ProducerOf(value);
        if (producer == kNone) continue;
        users[producer].push_back(i);
        ++missing[i];
      }
      if (missing[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
      const size_t node = ready.top();
      ready.pop();
      part_.nodes.push_back(node);
      for (const size_t user : users[node]) {
        if (--missing[user] == 0) ready.push(user);
      }
    }
    return part_.nodes.size() == count ? absl::OkStatus() : CycleError(missing);
  }

  // Walks from producer to producer among the nodes that still wait. Each waits for one of them,
  // so the walk returns to a node where it was.
  absl::Status CycleError(const std::vector<size_t>& missing) const {
    const auto waits = [&](size_t node) {
      return node != kNone && selected_[node] && missing[node] > 0;
    };
    size_t node = 0;
    while (!waits(node)) ++node;
    std::vector<size_t> path;
    std::vector<bool> walked(selected_.size());
    while (!walked[node]) {
      walked[node] = true;
      path.push_back(node);
      for (const size_t value : graph_.nodes[path.back()].reads) {
        if (const size_t producer = ProducerOf(value); waits(producer)) node = producer;
      }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), node));
    path.push_back(node);
    std::reverse(path.begin(), path.end());
    constexpr size_t kMaxShown = 8;
    const bool elided = path.size() > kMaxShown;
    if (elided) path.resize(kMaxShown);
    const auto append = [&](std::string* out, size_t i) {
      absl::StrAppend(out, "'", NameOfNode(i), "'");
    };
    return absl::InvalidArgumentError(absl::StrCat(
        "has a cycle: ", absl::StrJoin(path, " -> ", append), elided ? " -> ..." : ""));
  }

  // Its own name or, if it has none, its first value's.
  std::string NameOfNode(size_t node) const {
    const size_t first = graph_.nodes[node].makes[0];
    for (const auto& [name, value] : graph_.aliases) {
      if (value == first) return name;
    }
    return graph_.values[first];
  }

  void DropUnneededInputs() {
    auto& inputs = part_.inputs;
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](const PartInput& input) { return !needed_[input.value]; }),
                 inputs.end());
  }

  absl::Status CheckInputsSuffice() const {
    for (const size_t value : graph_.inputs) {
      if (given_[value] || !needed_[value]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the outputs also depend on input '", graph_.values[value],
                       "', which is not among the inputs of the metafile"));
    }
    return absl::OkStatus();
  }

  const ModelGraph& graph_;
  const ImportOptions& options_;
  absl::flat_hash_map<std::string, size_t> by_name_;
  std::vector<size_t> producers_;     // by value: a node, or kNone
  std::vector<bool> needed_, given_;  // by value
  std::vector<bool> selected_;        // by node
  ModelPart part_;
};

}  // namespace

absl::StatusOr<ModelPart> FindModelPart(const ModelGraph& graph, const ImportOptions& options) {
  return PartFinder(graph, options).Run();
}

absl::Status UnknownName(absl::string_view what, absl::string_view name, absl::string_view noun,
                         absl::Span<const std::string> known) {
  return absl::NotFoundError(
      absl::StrCat(what, " '", name, "' is not ", noun, DidYouMean(name, known)));
}

absl::Status ListedTwice(absl::string_view what, absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(what, " '", name, "' is listed twice"));
}

}  // namespace synap_internal
