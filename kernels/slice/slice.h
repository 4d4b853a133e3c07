// slice: takes every steps[i]-th element of dimension i, from starts[i] on.
//
//   x        any shape, any data type
//   output   shape `sizes`, output[j...] = x[..., starts[i] + j[i] * steps[i], ...]
//
// Attributes: starts, sizes, steps (1): one for each dimension. A negative step
// reverses.
//
// slice_c1: sizes[i] >= 0 and steps[i] != 0.
// slice_c2: the first and the last element are inside of x.
// slice_c3: x is not quantized per channel.
#ifndef KERNELS_SLICE_SLICE_H_
#define KERNELS_SLICE_SLICE_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "slice"; static storage.
absl::Span<const OpDef> SliceOps();

}  // namespace synap_internal

#endif  // KERNELS_SLICE_SLICE_H_
