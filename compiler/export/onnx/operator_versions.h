// Check of a graph's nodes against the opset of its file.
#ifndef COMPILER_EXPORT_ONNX_OPERATOR_VERSIONS_H_
#define COMPILER_EXPORT_ONNX_OPERATOR_VERSIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_export {

// Unimplemented naming every node that the opset doesn't have: its operator, or an attribute or a
// mode of it, is of a later one. Knows what this exporter writes.
absl::Status CheckOperatorVersions(const onnx::GraphProto& graph, int64_t opset);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_OPERATOR_VERSIONS_H_
