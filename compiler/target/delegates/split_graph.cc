#include "compiler/target/delegates/split_graph.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/target/delegates/partition.h"

namespace synap_internal {
namespace {

using Parts = std::vector<std::vector<const Op*>>;

// The ops of each part, in the graph's order.
Parts PartsOf(const Graph& graph, const std::map<const Op*, AssignedDelegate>& delegates) {
  std::map<AssignedDelegate, int> colours;
  for (const Op& op : graph.ops()) colours.emplace(delegates.at(&op), colours.size());
  std::vector<const Op*> ops;
  std::map<const Op*, int> index;
  std::vector<ColouredNode> nodes;
  for (const Op& op : graph.ops()) {
    ColouredNode& node = nodes.emplace_back();
    node.colour = colours.at(delegates.at(&op));
    node.is_work = !op.Is(LinearForm::kNone);
    for (const Tensor* input : op.inputs) {
      if (input != nullptr && input->producer != nullptr) {
        node.producers.push_back(index.at(input->producer));
      }
    }
    index[&op] = static_cast<int>(ops.size());
    ops.push_back(&op);
  }
  Parts parts;
  for (const std::vector<int>& part : PartitionByColour(nodes)) {
    std::vector<const Op*>& members = parts.emplace_back();
    for (const int node : part) members.push_back(ops[static_cast<size_t>(node)]);
  }
  return parts;
}

SplitNetwork Whole(const Graph& graph, AssignedDelegate delegate) {
  SplitNetwork network;
  Subgraph& subgraph = network.subgraphs.emplace_back();
  subgraph.graph = graph.Clone();
  subgraph.delegate = std::move(delegate);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    subgraph.inputs.push_back({-1, static_cast<int>(i)});
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    subgraph.network_outputs.push_back(static_cast<int>(i));
    network.outputs.push_back({0, static_cast<int>(i)});
  }
  return network;
}

class Splitter {
 public:
  Splitter(const Graph& graph, const Parts& parts)
      : graph_(graph), parts_(parts), copies_(parts.size()), outputs_(parts.size()) {
    for (size_t p = 0; p < parts.size(); ++p) {
      for (const Op* op : parts[p]) part_of_[op] = p;
    }
  }

  absl::StatusOr<SplitNetwork> Run(const std::map<const Op*, AssignedDelegate>& delegates) {
    ListOutputs();
    for (size_t p = 0; p < parts_.size(); ++p) {
      Subgraph& subgraph = network_.subgraphs.emplace_back();
      subgraph.delegate = delegates.at(parts_[p].front());
      subgraph.graph.name = absl::StrCat(graph_.name, "/", p);
      subgraph.graph.layout = graph_.layout;
      subgraph.graph.own_quantizers = graph_.own_quantizers;
      if (p == 0) AddUnreadInputs();
      for (const Op* op : parts_[p]) AddOp(*op, p);
      for (const auto& [tensor, network_output] : outputs_[p]) {
        subgraph.graph.outputs.push_back(CopyIn(*tensor, p));
        subgraph.network_outputs.push_back(network_output);
      }
      RETURN_IF_ERROR(VerifyGraph(subgraph.graph));
    }
    return std::move(network_);
  }

 private:
  struct Output {
    const Tensor* tensor;
    int network_output;  // -1: for other subgraphs only
  };

  size_t PartOf(const Tensor& tensor) const {
    return tensor.producer == nullptr ? 0 : part_of_.at(tensor.producer);
  }

  // Lists the outputs of all parts: those of the network, then those that other parts read alone.
  void ListOutputs() {
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Tensor& tensor = *graph_.outputs[i];
      const size_t part = PartOf(tensor);
      const int index = AddOutput(tensor, part, static_cast<int>(i));
      network_.outputs.push_back({static_cast<int>(part), index});
    }
    for (const Tensor& tensor : graph_.tensors()) {
      if (tensor.producer == nullptr || edge_of_.count(&tensor) > 0) continue;
      const size_t part = PartOf(tensor);
      const bool leaves = std::any_of(tensor.users.begin(), tensor.users.end(),
                                      [&](const Op* user) { return part_of_.at(user) != part; });
      if (leaves) AddOutput(tensor, part, -1);
    }
  }

  int AddOutput(const Tensor& tensor, size_t part, int network_output) {
    const int index = static_cast<int>(outputs_[part].size());
    outputs_[part].push_back({&tensor, network_output});
    if (tensor.producer != nullptr) {
      edge_of_.emplace(&tensor, BundleEdge{static_cast<int>(part), index});
    }
    return index;
  }

  void AddUnreadInputs() {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      edge_of_.emplace(graph_.inputs[i], BundleEdge{-1, static_cast<int>(i)});
    }
    for (const Tensor* input : graph_.inputs) {
      if (input->users.empty()) CopyIn(*input, 0);
    }
  }

  // The tensor's copy in part `p`; an input of the part if another part makes it.
  Tensor* CopyIn(const Tensor& tensor, size_t p) {
    Tensor*& copy = copies_[p][&tensor];
    if (copy != nullptr) return copy;
    Subgraph& subgraph = network_.subgraphs[p];
    copy = subgraph.graph.AddTensor(tensor.name, tensor.type);
    copy->constant = tensor.constant;
    const bool comes_in =
        !tensor.is_constant() && (tensor.producer == nullptr || part_of_.at(tensor.producer) != p);
    if (comes_in) {
      subgraph.graph.inputs.push_back(copy);
      subgraph.inputs.push_back(edge_of_.at(&tensor));
    }
    return copy;
  }

  void AddOp(const Op& op, size_t p) {
    Op copy = op;
    for (Tensor*& input : copy.inputs) {
      if (input != nullptr) input = CopyIn(*input, p);
    }
    for (Tensor*& output : copy.outputs) output = CopyIn(*output, p);
    network_.subgraphs[p].graph.AddOp(std::move(copy));
  }

  const Graph& graph_;
  const Parts& parts_;
  std::map<const Op*, size_t> part_of_;
  std::map<const Tensor*, BundleEdge> edge_of_;  // of inputs, and of what leaves a part
  std::vector<std::map<const Tensor*, Tensor*>> copies_;
  std::vector<std::vector<Output>> outputs_;
  SplitNetwork network_;
};

}  // namespace

absl::StatusOr<SplitNetwork> SplitGraph(const Graph& graph, const DelegateAssignment& delegates) {
  const Parts parts = PartsOf(graph, delegates.of);
  if (parts.size() > 1) return Splitter(graph, parts).Run(delegates.of);
  return Whole(graph, parts.empty() ? delegates.standard : delegates.of.at(parts[0].front()));
}

}  // namespace synap_internal
