// Index of an ONNX graph: the node, initializer or input that defines each tensor.
#ifndef COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_
#define COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The node's name or, if that is empty, its first output.
std::string NodeLabel(const onnx::NodeProto& node);

// "node 'conv_1' (Conv)", for messages.
std::string Where(const onnx::NodeProto& node);

// Whether its operator is one of the default domain.
bool IsStandard(const onnx::NodeProto& node);

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

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_GRAPH_INDEX_H_
