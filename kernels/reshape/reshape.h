// reshape: the same elements in the same order under another shape.
//
//   x        any shape, any data type
//   output   `shape`, data type and quantization of x
//
// Attributes: shape, all dimensions known (importers resolve 0 and -1).
// The output may have x's memory; then nothing is copied.
//
// reshape_c1: shape is valid and has as many elements as x.
// reshape_c2: x is not quantized per channel.
#ifndef KERNELS_RESHAPE_RESHAPE_H_
#define KERNELS_RESHAPE_RESHAPE_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "reshape"; static storage.
absl::Span<const OpDef> ReshapeOps();

}  // namespace synap_internal

#endif  // KERNELS_RESHAPE_RESHAPE_H_
