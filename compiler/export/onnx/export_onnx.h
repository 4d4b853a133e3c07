// Writes a graph as an ONNX model, for Netron, ONNX Runtime and debugging.
//
// The model is of opset 21. Images are NCHW between as few transposes as possible; inputs and
// outputs have the graph's own types, shapes, names and order. Nodes have the names of the model's
// nodes that they came from, weights are initializers. Quantized layers compute in real numbers
// between a DequantizeLinear and a QuantizeLinear (QDQ), float16 between two Casts.
#ifndef COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_
#define COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The bytes of a ModelProto; a pure function of the graph. Unimplemented naming an op that
// ONNX doesn't have; ResourceExhausted for a model of 2 GiB or more.
absl::StatusOr<std::string> ExportOnnx(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_
