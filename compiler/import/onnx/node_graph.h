// The nodes of an ONNX graph from their results' side, for what is recognized before an import.
#ifndef COMPILER_IMPORT_ONNX_NODE_GRAPH_H_
#define COMPILER_IMPORT_ONNX_NODE_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The graph's nodes and those of the branches of its If nodes. Names are as of the construction;
// the graph must outlive it, and may get further nodes. A graph whose nodes aren't sorted has more
// tensors that count as neither constant nor dynamic.
class NodeGraph {
 public:
  explicit NodeGraph(onnx::GraphProto& graph);

  // Null for inputs, initializers and unknown names.
  onnx::NodeProto* Producer(const std::string& tensor) const;
  // Whether the tensor is made in a branch of an If.
  bool IsInner(const std::string& tensor) const;
  // Whether something has this name.
  bool IsTaken(const std::string& tensor) const;

  // Whether it depends on no input of the model. Shapes are known, those of dynamic tensors aside.
  bool IsConstant(const std::string& tensor) const { return constant_.contains(tensor); }
  // Whether rows of it were chosen by values (NonZero, TopK, NonMaxSuppression ...).
  bool IsDynamic(const std::string& tensor) const { return dynamic_.contains(tensor); }
  // Whether it depends on a NonMaxSuppression.
  bool IsSuppressed(const std::string& tensor) const { return suppressed_.contains(tensor); }

  // In the order of the file, those of branches after all others.
  const std::vector<const onnx::NodeProto*>& nodes() const { return nodes_; }
  // In the same order.
  const std::vector<const onnx::NodeProto*>& suppressions() const { return suppressions_; }

  // The elements of an initializer or of a Constant node, maybe in other dimensions (Identity,
  // Unsqueeze, Squeeze, Reshape); none if there are more than `most` or they can't be read.
  std::vector<double> Elements(const std::string& tensor, int64_t most) const;
  // The element of a constant that has one.
  absl::optional<double> Number(const std::string& tensor) const;

 private:
  std::string WithoutWrapping(std::string tensor) const;
  void AddNodes(onnx::GraphProto& graph);
  void Classify(const onnx::NodeProto& node);

  absl::flat_hash_map<std::string, onnx::NodeProto*> producers_;
  absl::flat_hash_map<std::string, const onnx::TensorProto*> initializers_;
  absl::flat_hash_set<std::string> inputs_, inner_, constant_, dynamic_, suppressed_;
  std::vector<const onnx::NodeProto*> nodes_, suppressions_;
};

// An attribute of the node; `fallback` if it is absent.
int64_t IntAttribute(const onnx::NodeProto& node, const std::string& name, int64_t fallback);

// Operand i; empty if it is absent.
const std::string& OperandName(const onnx::NodeProto& node, int i);

// --- Nodes by which results follow from a suppression, beside its boxes and scores

using NodeSet = absl::flat_hash_set<const onnx::NodeProto*>;

// The nodes that tensors depend on, those of branches included. A node in `replaced` depends on
// that operand alone.
NodeSet NodesBefore(const NodeGraph& graph, std::vector<std::string> tensors,
                    const absl::flat_hash_map<onnx::NodeProto*, std::string>& replaced = {});

// Whether a TopK keeps one element, the largest.
bool IsTopOne(const NodeGraph& graph, const onnx::NodeProto& node);

// The first of `results` that belongs to a network after a suppression, by its weights or since it
// reads features at boxes; null if none does.
const onnx::NodeProto* FindSecondStage(const NodeGraph& graph, const NodeSet& results);

// The first of `results` that chooses the best class of a box (ArgMax, or TopK of one element) and
// is none of `kept`; null if none does.
const onnx::NodeProto* FindClassChoice(const NodeGraph& graph, const NodeSet& results,
                                       const NodeSet& kept);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NODE_GRAPH_H_
