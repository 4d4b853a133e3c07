// Who makes which tensor of an ONNX graph, and which nodes some outputs need.
#ifndef COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_
#define COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The node's name or, if that is empty, its first output.
std::string NodeLabel(const onnx::NodeProto& node);

// The tensors that a node reads: its operands, and what the bodies of its control
// flow read of the graph around them.
std::vector<absl::string_view> ReadsOf(const onnx::NodeProto& node);

// Views into a GraphProto, which must outlive it.
struct GraphIndex {
  absl::flat_hash_map<absl::string_view, int> producer;  // tensor -> index of the node
  absl::flat_hash_map<absl::string_view, const onnx::TensorProto*> initializers;
  absl::flat_hash_map<absl::string_view, const onnx::ValueInfoProto*> inputs;
  // Of inputs, outputs and, where the model says it, what is between.
  absl::flat_hash_map<absl::string_view, const onnx::ValueInfoProto*> infos;

  bool HasTensor(absl::string_view name) const {
    return producer.contains(name) || initializers.contains(name) || inputs.contains(name);
  }
};

// InvalidArgument if two things define one tensor.
absl::StatusOr<GraphIndex> IndexGraph(const onnx::GraphProto& graph);

struct Selection {
  std::vector<int> nodes;  // producers first, otherwise in the file's order
  // Cut tensors, inputs and initializers that the nodes or the outputs read.
  absl::flat_hash_set<absl::string_view> sources;
};

// The nodes that `outputs` depend on, looking no further than the tensors in
// `cuts`. InvalidArgument for a cycle among them (it names the nodes) and for a
// tensor that nothing produces. REQUIRES: each output is a tensor of the graph.
absl::StatusOr<Selection> SelectNodes(const onnx::GraphProto& graph, const GraphIndex& index,
                                      const absl::flat_hash_set<absl::string_view>& cuts,
                                      const std::vector<std::string>& outputs);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_
