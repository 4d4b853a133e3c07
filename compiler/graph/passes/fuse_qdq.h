// Replaces float ops between conversions (QDQ form, of models that come quantized) by ops over
// integers with the model's own quantizers.
//
//   %x = dequantize(%xq)
//   %w = dequantize(%wq)                      a constant
//   %c = conv2d(%x, %w, %b)
//   %y = quantize(%c)                   ->    %y = conv2d(%xq, %wq, %b.int32)
//
// A clamp before quantize is fused into the op, a bias becomes int32 in steps of x scale * w scale,
// and quantize(dequantize(x)) becomes requantize, or nothing. Ops that don't match, or have no
// kernel over integers, stay float32.
#ifndef COMPILER_GRAPH_PASSES_FUSE_QDQ_H_
#define COMPILER_GRAPH_PASSES_FUSE_QDQ_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Returns the number of rewrites; none without a dequantize.
absl::StatusOr<int> FuseQdq(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_FUSE_QDQ_H_
