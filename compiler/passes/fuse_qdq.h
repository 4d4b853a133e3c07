// Models that were quantized by their trainers spell an op over integers as a
// float op between conversions; here it becomes the op itself, with the
// quantizers that the model gives.
//
//   %x = dequantize(%xq)
//   %w = dequantize(%wq)                      a constant
//   %c = conv2d(%x, %w, %b)
//   %y = quantize(%c)                   ->    %y = conv2d(%xq, %wq, %b.int32)
//
// A clamp in front of quantize goes into the op, a bias becomes int32 in steps of
// x scale * w scale, and quantize(dequantize(x)) a requantize or nothing. What
// doesn't match, or has no kernel over integers, stays float.
#ifndef COMPILER_PASSES_FUSE_QDQ_H_
#define COMPILER_PASSES_FUSE_QDQ_H_

#include "absl/status/statusor.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// Returns the number of rewrites; none without a dequantize.
absl::StatusOr<int> FuseQdq(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PASSES_FUSE_QDQ_H_
