// Writes a graph as a TensorFlow Lite model (.tflite), for compilers of NPUs and LiteRT.
//
// The file is what the graph is: inputs and outputs have its types, shapes, names and order,
// quantized tensors its quantizers, so that the importer (compiler/import/tflite) reads the same
// network back. Images are NHWC, as in the graph. Where an operator wants other types or another
// quantizer than the graph has there, QUANTIZE and DEQUANTIZE stand between. float16 is computed in
// float32, of weights that are stored as float16; fixed point has scales that are powers of two.
#ifndef COMPILER_EXPORT_TFLITE_EXPORT_TFLITE_H_
#define COMPILER_EXPORT_TFLITE_EXPORT_TFLITE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

struct ExportTfliteOptions {
  // Layers that TensorFlow Lite can't compute in their integers compute in float32, between a
  // DEQUANTIZE and a QUANTIZE. Such a layer is an error otherwise.
  bool fallback_float = false;
  // "nhwc" or "nchw": the order of the axes of images that are inputs and outputs, with transposes
  // where the graph has another. Empty: as the graph has them. Outlives the call.
  absl::string_view layout = {};
};

// The bytes of a file; a pure function of the graph. Unimplemented listing the layers that
// TensorFlow Lite can't say, each with why and the nearest type that it can; InvalidArgument for
// constant indices outside of their extent; ResourceExhausted for a file of 2 GiB or more, and for
// tensors of 2^31 elements or more.
absl::StatusOr<std::string> ExportTflite(const Graph& graph,
                                         const ExportTfliteOptions& options = {});

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_TFLITE_EXPORT_TFLITE_H_
