// Attributes of an ONNX node.
#ifndef COMPILER_EXPORT_ONNX_NODE_ATTRIBUTES_H_
#define COMPILER_EXPORT_ONNX_NODE_ATTRIBUTES_H_

#include "kernels/attributes.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_export {

// Appends them to the node's, in the order of their names.
void AddAttributes(const Attributes& attributes, onnx::NodeProto& node);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_NODE_ATTRIBUTES_H_
