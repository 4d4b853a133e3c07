// Splits activations and residuals off the epilogues of linear ops, since ONNX has no fused ones.
//
//   %y = conv2d(%x, %w, %b, _, %r) {activation="elu", activation_alpha=a, sum_max=m}
//      ->  %c = conv2d(%x, %w, %b)
//          %f = elu(%c) {alpha=a}
//          %y = add(%f, %r) {max=m}
//
// The bits stay the same. Imported graphs have no such epilogues; compiled networks may.
#ifndef COMPILER_EXPORT_ONNX_SEPARATE_ACTIVATIONS_H_
#define COMPILER_EXPORT_ONNX_SEPARATE_ACTIVATIONS_H_

#include "absl/status/status.h"
#include "compiler/graph/graph.h"

namespace synap_internal::onnx_export {

// InvalidArgument naming the op if its activation is unknown.
absl::Status SeparateActivations(Graph& graph);

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_SEPARATE_ACTIVATIONS_H_
