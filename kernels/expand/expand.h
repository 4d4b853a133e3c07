// expand: repeats x along dimensions of extent 1 and along new outer dimensions.
//
//   x        any shape, any data type
//   output   `shape`, aligned with x's shape at the last dimension
//
// Attributes: shape of the output.
//
// expand_c1: shape is valid and has at least the rank of x.
// expand_c2: each dimension of x is 1 or that of shape.
// expand_c3: x is not quantized per channel.
#ifndef KERNELS_EXPAND_EXPAND_H_
#define KERNELS_EXPAND_EXPAND_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "expand"; static storage.
absl::Span<const OpDef> ExpandOps();

}  // namespace synap_internal

#endif  // KERNELS_EXPAND_EXPAND_H_
