// transpose: reorders the dimensions.
//
//   x        any shape, any data type
//   output   output.shape[i] = x.shape[perm[i]],
//            output[j0, j1, ...] = x[i0, i1, ...] with i[perm[k]] = j[k]
//
// Attributes: perm. A quantization per channel moves with its axis.
//
// transpose_c1: perm holds each of 0 .. rank-1 once.
#ifndef KERNELS_TRANSPOSE_TRANSPOSE_H_
#define KERNELS_TRANSPOSE_TRANSPOSE_H_

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// "transpose"; static storage.
absl::Span<const OpDef> TransposeOps();

}  // namespace synap_internal

#endif  // KERNELS_TRANSPOSE_TRANSPOSE_H_
