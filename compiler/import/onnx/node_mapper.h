// Maps the nodes of a graph, and of the bodies of its control flow, in their order.
#ifndef COMPILER_IMPORT_ONNX_NODE_MAPPER_H_
#define COMPILER_IMPORT_ONNX_NODE_MAPPER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/node_context.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

class NodeMapper {
 public:
  // All must outlive the mapper; it makes itself state.run_body.
  NodeMapper(const onnx::GraphProto& graph, const GraphIndex& index, ImportState& state);
  NodeMapper(const NodeMapper&) = delete;
  NodeMapper& operator=(const NodeMapper&) = delete;

  // What an operand's name stands for; initializers are read when they are needed.
  absl::StatusOr<Value> ValueOf(const std::string& name);

  // Emits the node's ops and binds its outputs. Errors name the node.
  absl::Status Map(const onnx::NodeProto& node);

 private:
  // The same of a name that stands for no sequence and no optional value.
  absl::StatusOr<Tensor*> TensorOf(const std::string& name);
  absl::StatusOr<std::vector<Value>> RunBody(const onnx::GraphProto& body,
                                             const std::vector<Value>& inputs);
  absl::Status MapOperands(const onnx::NodeProto& node);
  absl::Status CheckWidened(const onnx::NodeProto& node, const std::vector<Tensor*>& inputs) const;

  const onnx::GraphProto& graph_;
  const GraphIndex& index_;
  ImportState& state_;
  bool body_failed_ = false;
};

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NODE_MAPPER_H_
