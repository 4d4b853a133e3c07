// Writes a graph as an ONNX model, for Netron, ONNX Runtime and debugging.
//
// The model is of opset 21, or of the profile's. Images are NCHW between as few transposes as
// possible; inputs and outputs have the graph's own shapes, names and order, and its types unless
// the profile wants float32. Nodes have the names of the model's nodes that they came from, weights
// are initializers. Quantized layers compute in real numbers between a DequantizeLinear and a
// QuantizeLinear (QDQ), float16 between two Casts.
#ifndef COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_
#define COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/export/onnx/export_profile.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The bytes of a ModelProto; a pure function of the graph. Unimplemented naming an op that
// ONNX doesn't have; ResourceExhausted for a model of 2 GiB or more.
absl::StatusOr<std::string> ExportOnnx(const Graph& graph);

// The same in the form that a profile asks for. Warns of what no longer computes the graph's
// numbers. Unimplemented naming the layers that an older opset doesn't have, too.
absl::StatusOr<std::string> ExportOnnx(const Graph& graph, const ExportProfile& profile,
                                       Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_EXPORT_ONNX_H_
