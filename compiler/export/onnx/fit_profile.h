// Changes a graph into the form that a tool's profile asks for.
//
// 16 bits as float32: the tensors lose their quantizers, and the layers that read them their
// integer weights. As uint16: activations are shifted, and biases have 32 bits where they fit,
// which changes no number. Symmetric int8: quantizers get zero point 0, and steps that cover the
// same range; where the zero point is there already, or uint8's 128, no number changes. Float ends:
// a quantize after each quantized input and a dequantize before each quantized output, which bear
// the ends' names.
#ifndef COMPILER_EXPORT_ONNX_FIT_PROFILE_H_
#define COMPILER_EXPORT_ONNX_FIT_PROFILE_H_

#include "absl/status/status.h"
#include "base/warnings.h"
#include "compiler/export/onnx/export_profile.h"
#include "compiler/graph/graph.h"

namespace synap_internal::onnx_export {

// Warns of what no longer computes the same numbers, with the profile's reason. Unimplemented
// naming the layers that read integers as they are stored (a cast, the tables and sums of a
// compiled network), which can't change.
absl::Status FitProfile(const ExportProfile& profile, Graph& graph, Warnings& warnings);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_FIT_PROFILE_H_
